"""What does a command answer?

One file per subject; every function returns the lines of an answer as text, its last line the one that scripts read.
What is shown comes in as an argument; types of the rooms above this one are imported for the type checker only.
"""
