"""Builds the jars in Java that the package carries: python scripts/build_jars.py FOLDER_OF_FLINK_JARS.

Equal sources give equal bytes (JDK 17).
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

EXTRACT = Path(__file__).parent.parent / "checker" / "extract"
JARS = (EXTRACT / "runtime/capture/java/capture.jar", EXTRACT / "sql/planner/java/stand-ins.jar")
"""Each lies beside the folder ``src`` that it is built of."""


def build(flink_jars: Path, source: Path, jar: Path) -> None:
    """Compile for Java 8 and newer and pack without dates. Raises CalledProcessError when javac refuses."""
    with tempfile.TemporaryDirectory() as folder:
        sources = [str(path) for path in sorted(source.rglob("*.java"))]
        subprocess.run(
            [
                *("javac", "-nowarn", "-Xlint:-options", "-g:none", "--release", "8"),
                *("-cp", f"{flink_jars}/*", "-d", folder, *sources),
            ],
            check=True,
        )
        with zipfile.ZipFile(jar, "w", zipfile.ZIP_STORED) as archive:
            for path in sorted(Path(folder).rglob("*.class")):
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
                archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    for jar in JARS:
        build(Path(sys.argv[1]), jar.parent / "src", jar)
