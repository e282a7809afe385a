"""What failed, and what to try."""

from __future__ import annotations


class Error(Exception):
    """Something could not be done. The message says what failed, `hint` what to try.

    >>> raise Error("cannot read `a.warc.gz`: no such file", "check its name")
    Traceback (most recent call last):
    ...
    pagekin._errors.Error: cannot read `a.warc.gz`: no such file
    <BLANKLINE>
    hint: check its name
    """

    #: What to try.
    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n\nhint: {hint}")
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[Error], tuple[str, str | None]]:
        return (Error, (self.message, self.hint))
