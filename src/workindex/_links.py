"""Is this a whole checkout? Every folder of the house stands in the package, by a symbolic link.

Run on import by `workindex` and by setup.py, because a checkout without links would otherwise
build an empty wheel without an error.
"""

from pathlib import Path

FOLDERS = (
    "alembic",
    "assembler",
    "cli",
    "domain",
    "eventlog",
    "projections",
    "service",
)

_HERE = Path(__file__).parent
_missing = [name for name in FOLDERS if not (_HERE / name).is_dir()]
if _missing:
    raise ImportError(
        f"{_HERE} holds no link to {', '.join(_missing)}: this checkout was made without symbolic "
        "links; run `git config core.symlinks true && git checkout -- src`, or clone with "
        "`git clone -c core.symlinks=true`"
    )
