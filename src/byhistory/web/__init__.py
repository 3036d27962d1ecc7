"""How does a team see its tables, review alarms and decide, in the browser?

`app.py` puts it together; one file a page in `pages/`, what machines ask in `api/`. Everything goes through the facade
(`byhistory.validator.Validator`): the console keeps no truth of its own, and another process may write to the store.
"""
