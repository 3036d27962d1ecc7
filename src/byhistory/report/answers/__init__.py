"""What does a command answer?

One file per subject; every function returns the lines of an answer as text, its last line the one that scripts read.
What is shown is handed in: values of the rooms above are named for the type checker only.
"""
