"""Where are the rows of a table, and which of them belong to which run?"""
