"""What a start command gives to its program, by its words: ``flink run``, the SQL client, ``standalone-job``.

Options follow ``CliFrontendParser``, ``CliOptionsParser`` of the SQL client, and for a cluster that is one job
``StandaloneApplicationClusterConfigurationParserFactory`` with the entry point of Flink's image, of 1.13 to 2.3.
"""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from checker.extract.deployments.cluster_configuration import PROPERTIES, settings_of
from checker.extract.deployments.variables_of_scripts import SUBSTITUTED, fillers
from checker.model.deployments import JOB_ID, PARALLELISM, Deployment, DeploymentKind
from checker.model.unknowns import Location

_OF_PYFLINK = ("-py", "--python", "-pym", "--pyModule", "-pyfs", "--pyFiles", "-pyreq", "--pyRequirements",
               "-pyarch", "--pyArchives", "-pyexec", "--pyExecutable", "-pyclientexec", "--pyClientExecutable",
               "-pypath", "--pyPythonPath")  # fmt: skip
"""Options of ``PythonDriver`` (``PythonProgramOptionsParserFactory``), each with one value."""
_WITH_VALUE = frozenset({
    "-m", "--jobmanager", "-c", "--class", "-C", "--classpath", "-p", "--parallelism", "-s", "--fromSavepoint", "-rm",
    "-restoreMode", "--restoreMode", "-claim", "-t", "--target", "-z", "--zookeeperNamespace", "-e", "--executor", "-D",
    "-yid", "-ynm", "-yjm", "-ytm", "-yqu", "-ys", "-yD", *_OF_PYFLINK,
})  # fmt: skip
_FLAGS = frozenset({
    "-d", "--detached", "-n", "--allowNonRestoredState", "-sae", "--shutdownOnAttachedExit", "-q", "--quiet", "-yd",
    "-yat", "-v", "--verbose",
})  # fmt: skip
_CLIENT_WITH_VALUE = frozenset({
    "-f", "--file", "-i", "--init", "-s", "--session", "-j", "--jar", "-l", "--library", "-hist", "--history", "-u",
    "--update", "-D", "-e", "--endpoint", *_OF_PYFLINK,
})  # fmt: skip
STANDALONE = ("standalone-job", "standalone-job.sh", "job-cluster")
_STANDALONE_WITH_VALUE = frozenset({
    "-j", "--job-classname", "-jid", "--job-id", "-s", "--fromSavepoint", "-rm", "-claimMode", "--claimMode",
    "--restoreMode", "-r", "--webui-port", "-c", "--configDir", "-h", "--host", "--jars", "-D",
})  # fmt: skip


_ONE_VARIABLE = re.compile(r"\$\w+|\$\(\w+\)|\$\{\w+(?:\[[@*]\])?\}")


@dataclass(frozen=True)
class _Options:
    """Options with their values, those of Flink's configuration apart, flags, and the words behind."""

    given: Mapping[str, str]
    configuration: Mapping[str, str]
    flags: frozenset[str]
    rest: tuple[str, ...]

    def of(self, *names: str) -> str | None:
        """The value of the first option that has one."""
        return next((self.given[name] for name in names if self.given.get(name)), None)


_NONE = _Options({}, {}, frozenset(), ())


def _options(words: Sequence[str], with_value: Collection[str]) -> _Options | None:
    """The options up to the first word that is none, as commons-cli takes them; None where a value is missing."""
    given: dict[str, str] = {}
    configuration: dict[str, str] = {}
    flags: set[str] = set()
    rest = list(words)
    while rest and (rest[0].startswith("-") or _is_options(rest)):
        word = rest.pop(0)
        if not word.startswith("-"):  # a variable that may set either: both are filled in later
            given.setdefault("-p", word)
            configuration.setdefault("pipeline.max-parallelism", word)
            continue
        key, equals, value = word.partition("=")
        if word.startswith(("-D", "-yD")) and len(word) > 3 and equals:
            configuration[key.removeprefix("-yD").removeprefix("-D")] = value
        elif word.startswith("-p") and word[2:].isdecimal():
            given["-p"] = word[2:]
        elif key in with_value:
            if not equals and not rest:
                return None
            given[key] = value if equals else rest.pop(0)
            if key in ("-D", "-yD"):
                name, _, configuration[name] = given[key].partition("=")
        elif word in _FLAGS:
            flags.add(word)
        else:
            return _Options(given, configuration, frozenset(flags), (word, *rest))
    return _Options(given, configuration, frozenset(flags), tuple(rest))


def _is_options(words: Sequence[str]) -> bool:
    """Whether the first word is a variable that stands for options: another option and the jar follow it."""
    if len(words) < 2 or not _ONE_VARIABLE.fullmatch(words[0]) or not any(w.endswith(".jar") for w in words[1:]):
        return False
    word = words[1]
    known = word.startswith(("-D", "-yD")) or word.partition("=")[0] in _WITH_VALUE or word in _FLAGS
    return known or word.endswith(".jar") or _is_options(words[1:])


def flink_run(words: Sequence[str], place: Location, target: str, environment: Mapping[str, str]) -> Deployment | None:
    """The job that ``flink run`` submits."""
    found = _options(words, _WITH_VALUE)
    if found is None:
        return None
    driver = [word for option, value in found.given.items() if option in _OF_PYFLINK for word in (option, value)]
    script = script_of(None, driver)
    if script is None and not found.rest:
        return None
    jar, rest = (None, script_arguments(found.rest)) if script else (found.rest[0], found.rest[1:])
    main, parallelism = found.of("-c", "--class"), found.of("-p", "--parallelism") or ""
    configuration = _with_properties(found, environment)
    return started(
        DeploymentKind.COMMAND, place, target, (main, script, jar), rest, configuration, parallelism, found
    )  # fmt: skip


def _with_properties(found: _Options, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Flink's options: those of the command, and before it those that Flink's image takes from its variable."""
    return {**dict(settings_of(environment.get(PROPERTIES, ""))), **found.configuration}


def standalone_job(
    words: Sequence[str], place: Location, target: str, environment: Mapping[str, str]
) -> Deployment | None:
    """The job of an application cluster (``standalone-job``)."""
    plain = [word for number, word in enumerate(words) if number > 0 or word not in ("start", "start-foreground")]
    found = _options(plain, _STANDALONE_WITH_VALUE)
    if found is None:
        return None
    program = (found.of("-j", "--job-classname"), None, found.of("--jars"))
    configuration = dict(_with_properties(found, environment))
    job = found.of("-jid", "--job-id")
    if job is not None:
        configuration[JOB_ID] = job
    return started(DeploymentKind.STANDALONE, place, target, program, found.rest, configuration, options=found)


def sql_client(words: Sequence[str], place: Location, target: str, _: Mapping[str, str]) -> Deployment | None:
    """A script that the SQL client runs, with the one that it is initialized by; None for an interactive client."""
    plain = [word for number, word in enumerate(words) if number > 0 or word not in ("embedded", "gateway")]
    found = _options(plain, _CLIENT_WITH_VALUE)
    script, first = (None, None) if found is None else (found.of("-f", "--file"), found.of("-i", "--init"))
    if found is None or script is None or SUBSTITUTED.search(script + (first or "")):
        return None
    job = started(DeploymentKind.SQL_CLIENT, place, target, (None, script, None), (), found.configuration)
    return replace(job, initialized_by=first, filled_later=(), filled_by=())


def started(
    kind: DeploymentKind, place: Location, target: str, program: tuple[str | None, ...], arguments: tuple[str, ...],
    configuration: Mapping[str, str], parallelism: str = "", options: _Options = _NONE,
) -> Deployment:  # fmt: skip
    """A job with what something written gives it; ``program`` is its main class, script and jar."""
    main, script, jar = program
    own = {PARALLELISM: parallelism} if parallelism else {}
    filled = any(SUBSTITUTED.search(argument) for argument in arguments)
    return Deployment(
        kind=kind,
        name=place.file,
        target=target,
        location=place,
        main=None if main is None or SUBSTITUTED.search(main) else main,
        script=script,
        jar=None if jar is None else jar.rpartition("/")[2],
        args=None if filled else arguments,
        written=arguments if filled else (),
        parallelism=int(parallelism) if parallelism.isdecimal() and int(parallelism) > 0 else None,
        configuration=tuple(
            sorted((k, v) for k, v in configuration.items() if not SUBSTITUTED.search(v) and k not in own)
        ),
        filled_later=tuple(sorted(k for k, v in {**configuration, **own}.items() if SUBSTITUTED.search(v))),
        filled_by=fillers((main or "", *arguments), {**configuration, **own}),
        allow_non_restored_state=True if options.flags & {"-n", "--allowNonRestoredState"} else None,
        savepoint=options.of("-s", "--fromSavepoint"),
    )


_DRIVER = "org.apache.flink.client.python.PythonDriver"


def script_of(main: str | None, arguments: Sequence[str]) -> str | None:
    """The script of a PyFlink job: what follows ``-py``, or a module after ``-pym`` as a path. None = no such job."""
    if main is not None and main != _DRIVER:
        return None
    for option, value in pairwise(arguments):
        if option in ("-py", "--python"):
            return value
        if option in ("-pym", "--pyModule"):
            return f"{value.replace('.', '/')}.py"
    return None


def script_arguments(arguments: Sequence[str]) -> tuple[str, ...]:
    """What a script itself is given: the arguments without PyFlink's own options."""
    rest, own = list(arguments), []
    while rest:
        word = rest.pop(0)
        if word in _OF_PYFLINK and rest:
            rest.pop(0)
        else:
            own.append(word)
    return tuple(own)


_PLACEHOLDER = re.compile(r"<[^\s<>](?:[^<>\n]{0,60}[^\s<>])?>(?!\S*>)")
"""What stands for something else in a document: a shell never reads from and writes to files like that."""
_DESCRIPTOR = re.compile(r"(?<!\S)\d+$")
_PLAIN = re.compile(r"[^\s\"'\\;|&<>()#]+")
_QUOTED = re.compile(r"[\\\"]")


STATEMENT = re.compile(r"(?:\\[\s\S]|(?<!\S)#[^\n]*|'[^']*'|\"(?:\\[\s\S]|[^\"\\])*\"|.)*+")
"""A line of a shell with those that its quotes and backslashes go on for."""


def first_command(line: str) -> str:
    """A line up to what ends its first command: an operator, a redirection, a comment, or the end of a subshell."""
    quote, depth, place = "", 0, 0
    while place < len(line):
        character = line[place]
        if character == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif line.startswith("{{", place):
            place = max(line.find("}}", place), place) + 1
        elif character == "(":
            depth += 1
        elif character == ")" and depth > 0:
            depth -= 1
        elif depth == 0 and character == "<" and (placeholder := _PLACEHOLDER.match(line, place)):
            place = placeholder.end() - 1
        elif depth == 0 and (character in ";|&<>)" or (character == "#" and line[place - 1 : place].isspace())):
            return _DESCRIPTOR.sub("", line[:place]) if character in "<>" else line[:place]
        place += 1
    return line


def split(line: str) -> list[str]:
    """The words of a command, none where its quotes do not match."""
    try:
        return shlex.split(line)
    except ValueError:
        return []


def joined(words: tuple[str, ...]) -> str:
    """A line of a shell that has these words, whose variables are still filled in."""
    return " ".join(w if _PLAIN.fullmatch(w) else '"' + _QUOTED.sub(r"\\\g<0>", w) + '"' for w in words)
