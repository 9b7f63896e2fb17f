"""Is this a whole checkout? Every folder of the house stands in the package, by a symbolic link.

Run on import by `workindex` and by setup.py, because a checkout without links would otherwise
build an empty wheel without an error.
"""

import os

FOLDERS = (
    "alembic",
    "assembler",
    "cli",
    "domain",
    "eventlog",
    "projections",
    "service",
)

# Without pathlib, which takes as long to load as all else before an interrupt can be heard.
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 (said above)
_missing = [
    name
    for name in FOLDERS
    if not os.path.isdir(f"{_HERE}/{name}")  # noqa: PTH112 (as above)
]
if _missing:
    raise ImportError(
        f"{_HERE} holds no link to {', '.join(_missing)}: this checkout was made without symbolic "
        "links; run `git config core.symlinks true && git checkout -- src`, or clone with "
        "`git clone -c core.symlinks=true`"
    )
