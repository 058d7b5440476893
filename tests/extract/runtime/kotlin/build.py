"""Builds programs.jar from the Kotlin sources: python build.py FOLDER_OF_FLINK_JARS FOLDER_OF_KOTLIN_JARS.

Kotlin's compiler is not needed to run the tests, so the classes are kept beside the sources. They were compiled with
the compiler (and its standard library) in ``run_kotlin_kernel/jars`` of the package kotlin-jupyter-kernel 0.19.0.944,
against Flink 1.20.5. The jar names the content of the sources, which a test compares.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = "META-INF/sources.sha256"


def sources() -> list[Path]:
    """The programs."""
    return sorted(HERE.glob("*.kt"))


def digest() -> str:
    """The content of all sources in one number."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources())).hexdigest()


def build(flink_jars: Path, kotlin_jars: Path, jar: Path) -> None:
    """Compile and pack without dates. Raises CalledProcessError when the compiler refuses."""
    (library,) = kotlin_jars.glob("kotlin-stdlib-*.jar")
    classpath = ":".join(str(p) for p in [library, *sorted(flink_jars.glob("*.jar"))] if "flink-scala" not in p.name)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                *("java", "-cp", f"{kotlin_jars}/*", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"),
                *("-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "11", "-classpath", classpath, "-d", folder),
                *map(str, sources()),
            ],
            check=True,
        )
        with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(SOURCES, date_time=(1980, 1, 1, 0, 0, 0)), digest())
            for path in sorted(Path(folder).rglob("*.class")):
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]), HERE / "programs.jar")
