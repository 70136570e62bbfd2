"""What an agent file says of itself, read without torch."""

import json
import zipfile
from pathlib import Path
from typing import Any

ABOUT = "masked_monsters.json"
"""What that is called in the file, which is a zip."""


def read_about(path: Path) -> dict[str, Any]:
    """What an agent file says of itself; ``ValueError`` if it is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read(ABOUT))
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError):
        raise ValueError(f"{path}: not an agent file of masked-monsters") from None
