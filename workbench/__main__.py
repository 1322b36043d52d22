"""`python -m workbench`: the command, for whoever has the interpreter and not the path of the program."""

from workbench.cli import main

if __name__ == "__main__":
    main()
