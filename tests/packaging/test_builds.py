"""The snippets for Maven and Gradle, in builds that really run. Debian's Maven repository stands in for Central."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flinks import BRIEF, jars_of
from tests.hooks.conftest import TOP, Scratch, clean_environment
from tests.packaging.conftest import needed
from tests.workflows.programs import CONFIGURATION, orders

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(900)]

SNIPPETS = TOP / "examples" / "builds"
DEBIAN = Path("/usr/share/maven-repo")
SETTINGS = f"""<settings><mirrors><mirror>
  <id>debian</id><mirrorOf>*</mirrorOf><url>file://{DEBIAN}</url>
</mirror></mirrors></settings>
"""
PLUGINS = {"resources": "3.3.0", "compiler": "3.10.1", "surefire": "2.22.3", "jar": "3.3.0"}
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId> <artifactId>orders</artifactId> <version>1.0</version>
  <properties><maven.compiler.release>11</maven.compiler.release></properties>
  <dependencies><dependency>
    <groupId>org.apache.flink</groupId> <artifactId>flink-dist</artifactId> <version>FLINK</version>
    <scope>system</scope> <systemPath>JARS/flink-dist-FLINK.jar</systemPath>
  </dependency></dependencies>
  <build>
    <sourceDirectory>src</sourceDirectory>
    <pluginManagement><plugins>MANAGED</plugins></pluginManagement>
    <plugins>SNIPPET</plugins>
  </build>
</project>
"""
GRADLE = """apply plugin: 'java'
sourceSets.main.java.srcDirs = ['src']
dependencies { compile fileTree('JARS') }
apply from: 'savepoint-checker.gradle'
"""
FLINK = "1.20.5"
Built = Callable[[], tuple[int, str]]


@pytest.fixture
def project(tmp_path: Path) -> Scratch:
    """A job whose uid only the running program knows, with a build of its own for the base."""
    made = orders(tmp_path / "orders", jars_of(FLINK), CONFIGURATION)
    made.git("checkout", "--quiet", "-B", "main", "v2")
    return Scratch(made.folder)


def maven(project: Scratch, snippet: str) -> Built:
    needed("mvn")
    missing = [name for name in PLUGINS if not (DEBIAN / f"org/apache/maven/plugins/maven-{name}-plugin").is_dir()]
    if missing or not (DEBIAN / "org/codehaus/mojo/exec-maven-plugin").is_dir():
        pytest.skip(f"Debian's packages of Maven's plugins are not installed: exec, {', '.join(missing)}")
    managed = "".join(
        f"<plugin><artifactId>maven-{name}-plugin</artifactId><version>{version}</version></plugin>"
        for name, version in PLUGINS.items()
    )
    text = (SNIPPETS / snippet).read_text(encoding="utf-8")
    pom = POM.replace("MANAGED", managed).replace("SNIPPET", text).replace("FLINK", FLINK)
    project.write(pom.replace("JARS", str(jars_of(FLINK))), "pom.xml")
    project.write("target/\n", ".gitignore")
    settings = project.top.parent / "settings.xml"
    settings.write_text(SETTINGS, encoding="utf-8")
    local = f"-Dmaven.repo.local={project.top.parent / 'repository'}"
    return lambda: project.run("mvn", "-B", "-s", str(settings), local, "verify", env=environment(project))


def gradle(project: Scratch) -> Built:
    needed("gradle")
    project.write(GRADLE.replace("JARS", str(jars_of(FLINK))), "build.gradle")
    project.write((SNIPPETS / "savepoint-checker.gradle").read_text(encoding="utf-8"), "savepoint-checker.gradle")
    project.write("build/\n.gradle/\n", ".gitignore")
    home = str(project.top.parent / "gradle")
    return lambda: project.run("gradle", "--offline", "--no-daemon", "-g", home, "check", env=environment(project))


def environment(project: Scratch) -> dict[str, str]:
    """Builds of their own, with the Flinks that are there."""
    cache = project.top.parent / "cache" / "savepoint-checker"
    if not cache.is_dir():
        cache.mkdir(parents=True)
        (cache / "flink").symlink_to(jars_of(FLINK).parent)
    return clean_environment(
        XDG_CACHE_HOME=str(cache.parent), HOME=os.environ["HOME"], JAVA_TOOL_OPTIONS=" ".join(BRIEF)
    )


@pytest.mark.parametrize(
    ("make", "report"),
    [
        (lambda project: maven(project, "maven-snippet.xml"), "target/savepoint-checker.html"),
        (gradle, "build/savepoint-checker.html"),
    ],
    ids=["maven", "gradle"],
)
def test_a_build_fails_where_state_would_be_lost(
    project: Scratch, make: Callable[[Scratch], Built], report: str
) -> None:
    project.git("checkout", "--quiet", "-B", "main", "v1")
    built = make(project)
    project.git("add", "-A")
    project.git("commit", "--quiet", "-m", "the build")
    code, output = built()
    assert code == 0, output
    source = project.top / "src/jobs/Orders.java"
    source.write_text(source.read_text(encoding="utf-8").replace('.uid("UID")', '.uid("OTHER")'), encoding="utf-8")
    project.git("commit", "--quiet", "-am", "another uid")
    code, output = built()
    assert code == 1, output
    assert "uid-renamed" in output
    assert "OTHER" in (project.top / report).read_text(encoding="utf-8")
