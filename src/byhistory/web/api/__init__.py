"""What may a program ask, and say?"""
