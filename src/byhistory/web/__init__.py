"""How does a team see its tables, review alarms and decide, in the browser?

`app.py` puts it together, with one file per page in `pages/` and what machines ask in `api/`. All of it asks the
facade (`byhistory.validator.Validator`): the console keeps no truth of its own, and another process may write to the
store.
"""
