"""A Python that has PyFlink: the one that ``PYFLINK_PYTHON`` names, or an environment that is made once and kept."""

import os
import subprocess
import sys
from pathlib import Path

from checker.extract.runtime.distribution import cache_folder

REQUIREMENTS = Path(__file__).with_name("pyflink-requirements.txt")


def pyflink_python() -> Path:
    """The interpreter. Making the environment downloads about 500 MB; raises CalledProcessError where that fails."""
    named = os.environ.get("PYFLINK_PYTHON")
    if named:
        return Path(named)
    place = cache_folder().parent / "pyflink-1.20.5"
    interpreter = place / "bin" / "python"
    place.parent.mkdir(parents=True, exist_ok=True)
    if not (place / "ready").exists():
        subprocess.run([sys.executable, "-m", "virtualenv", "--quiet", "--clear", str(place)], check=True)
        pip = [str(interpreter), "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        subprocess.run([*pip, "-r", str(REQUIREMENTS)], check=True)
        (place / "ready").touch()
    return interpreter
