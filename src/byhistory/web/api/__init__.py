"""What may a program ask and decide?"""
