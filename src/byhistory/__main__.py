"""`python -m byhistory` is the command `byhistory`."""

from byhistory.cli import main

if __name__ == "__main__":
    main()
