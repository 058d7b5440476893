"""A repository full of traps: whatever of it runs leaves a file that names it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

from tests.scratch import Scratch

COMMAND = Path(sys.executable).with_name("savepoint-checker")
MODULES = (
    "venv", "pip", "ensurepip", "checker", "pyspark", "py4j", "jinja2", "yaml", "typing", "json", "subprocess", "runpy",
    "sitecustomize", "usercustomize", "git", "jpype", "encodings", "site", "zipfile", "pyarrow", "pandas", "grpc",
    "setuptools", "filelock",
)  # fmt: skip
"""What Pythons import that are started, and might take from the current folder."""
PROGRAMS = ("java", "git", "python", "python3", "javac", "bash", "ps", "nice", "mvn", "gradle", "mvnw", "gradlew",
            "spark-submit", "dirname", "hadoop")  # fmt: skip
JOB = """
CREATE TABLE orders (id BIGINT, amount INT) WITH ('connector' = 'datagen');
CREATE TABLE totals (id BIGINT, amount INT) WITH ('connector' = 'print');
INSERT INTO totals SELECT id, SUM(amount) FROM orders GROUP BY id;
"""
DOCUMENT = """\
topology: 1
name: orders
flink: "1.20"
transformations:
  - {id: source, kind: source, name: source}
  - {id: sink, kind: sink, name: sink, inputs: [source]}
"""
MANIFEST = """
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  flinkVersion: v1_20
  flinkConfiguration: {env.java.opts.all: "-javaagent:agent.jar"}
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - {name: PYTHONPATH, value: .}
            - {name: PYTHONSTARTUP, value: json.py}
            - {name: JAVA_TOOL_OPTIONS, value: "-javaagent:agent.jar"}
            - {name: SPARK_CONF_DIR, value: conf}
            - {name: PATH, value: ".:/usr/bin"}
  job: {jarURI: "local:///opt/flink/usrlib/orders.jar", entryClass: com.example.Orders}
"""


class Traps:
    """The repository, what was caught in it, and commands that are called as a user calls them: in its folder."""

    def __init__(self, folder: Path) -> None:
        self.caught_in = folder / "caught"
        self.caught_in.mkdir()
        self.cache = folder / "cache"
        self.scratch = Scratch(folder / "repository")
        self.top = self.scratch.folder
        for name in MODULES:
            self.scratch.write(f"{name}/__init__.py" if name in ("pip", "pyspark", "checker") else f"{name}.py",
                               self._python(name))  # fmt: skip
        self.scratch.write("trap.pth", f"import os; open(os.path.join({str(self.caught_in)!r}, 'pth'), 'w')\n")
        for name in PROGRAMS:
            self._program(name)
            self._program(f"bin/{name}")
        self._program("conf/spark-env.sh")
        # The folder above "below" looks like a Spark.
        self.scratch.write("jars/spark.jar", "")
        self.scratch.write("below/notes.txt", "")
        self.scratch.write(".mvn/jvm.config", "-javaagent:agent.jar -XX:OnError=./java\n")
        self.scratch.write(".mvn/maven.config", "-Dexec.executable=./java\n")
        self.scratch.write(".mvn/wrapper/maven-wrapper.properties", "distributionUrl=file:///trap.zip\n")
        self.scratch.write("$(touch caught).jar", "")
        self.scratch.write(".hotspotrc", "+UnlockDiagnosticVMOptions\nOnError=./java\n")
        self.scratch.write(
            ".pre-commit-config.yaml",
            "repos: [{repo: local, hooks: [{id: t, name: t, language: system, entry: ./java}]}]\n",
        )
        self.scratch.write("pip.conf", "[global]\nindex-url = http://127.0.0.1:9/\n")
        self.scratch.write("deploy/orders.yaml", MANIFEST)
        self.scratch.write("savepoint-checker.toml", 'flink = "1.20"\n')
        self.scratch.write("orders.topology.yaml", DOCUMENT)
        self.scratch.write("totals.sql", JOB)
        self.scratch.commit("first")
        self.scratch.write("totals.sql", JOB.replace("SUM(", "MAX("))
        self.scratch.write("orders.topology.yaml", DOCUMENT.replace("name: sink", "name: another"))
        self.scratch.commit("second")
        self._configure_git()

    def _python(self, name: str) -> str:
        return f"open({str(self.caught_in / f'{name}.py')!r}, 'a').close()\n"

    def _program(self, name: str) -> None:
        place = self.caught_in / name.replace("/", "-")
        self.scratch.write(name, f"#!/bin/sh\necho >> '{place}'\nexit 1\n")
        (self.top / name).chmod(0o755)

    def _configure_git(self) -> None:
        for hook in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor"):
            path = self.top / ".git" / "hooks" / hook
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\necho >> '{self.caught_in / f'hook-{hook}'}'\n")
            path.chmod(0o755)
        program = str(self.top / "bin" / "java")
        with (self.top / ".git" / "config").open("a") as config:
            config.write(
                f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\tsshCommand = {program}\n"
                f"[alias]\n\tlog = !{program}\n\tstatus = !{program}\n[diff]\n\texternal = {program}\n"
                f'[filter "x"]\n\tsmudge = {program}\n\tclean = {program}\n[log]\n\tshowSignature = true\n'
                f"[gpg]\n\tprogram = {program}\n[credential]\n\thelper = {program}\n"
            )
        (self.top / ".git" / "info").mkdir(exist_ok=True)
        (self.top / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n")

    def run(self, *arguments: str, folder: str = ".", asks_pip: bool = False) -> subprocess.CompletedProcess[str]:
        """A command in the repository, whose places stand first in whatever says where things are looked up.

        ``asks_pip``: what makes a Python environment for Flink's jars and starts pip in it does so. It is the same
        for every command and takes longer than all else that they do.
        """
        places = [".", "", "bin", str(self.top), str(self.top / "bin")]
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("SAVEPOINT_CHECKER", "SPARK_"))
        }
        environment |= {
            "PATH": os.pathsep.join([*places, os.environ["PATH"]]),
            "LD_LIBRARY_PATH": os.pathsep.join(places),
            "XDG_CACHE_HOME": str(self.cache),
            "SPARK_CONF_DIR": "conf",
            "JAVA_HOME": os.environ.get("JAVA_HOME", "."),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.cache) if asks_pip else "",
            "PIP_CONFIG_FILE": os.devnull,
        }
        return subprocess.run(
            [str(COMMAND), *arguments], cwd=self.top / folder, env=environment, capture_output=True, text=True,
            timeout=200, check=False,
        )  # fmt: skip

    @property
    def caught(self) -> list[str]:
        """What ran."""
        return sorted(path.name for path in self.caught_in.iterdir())


def open_to_others(folder: Path) -> list[str]:
    """What below a folder somebody else can read or write, without the ways in that are closed."""
    wide = [path for path in (folder, *folder.rglob("*")) if not path.is_symlink()]
    return [str(path) for path in wide if stat.S_IMODE(path.stat().st_mode) & 0o077]
