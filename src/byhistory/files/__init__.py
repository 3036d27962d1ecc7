"""How are the files of a table read without Spark's reader, and with the same result?"""
