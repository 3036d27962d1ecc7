"""How are the files of a table read without Spark's reader, with the same answer?"""
