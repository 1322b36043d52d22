"""`python -m workbench.hooks RUNTIME EVENT`: one hook, without the other commands."""

import sys

from workbench.hooks.front import main

sys.exit(main(sys.argv[1:]))
