"""`python -m pagekin`: the command."""

from pagekin._command import main

main()
