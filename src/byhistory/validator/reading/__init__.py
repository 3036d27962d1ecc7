"""Where are the rows of a table, and which of them are of which run?"""
