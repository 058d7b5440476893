"""Explains the edits of manifests and of Flink's configuration."""

import re
from collections.abc import Collection, Iterator, Sequence

from checker.compare.account.builds import Reach, differing_entries, edit
from checker.compare.account.facts import Facts
from checker.model.account import READ, UNREAD, UNUSED, Edit, Thing, Verdict, Why
from checker.model.changed_files import SET_SERIALIZERS, ChangedFile, Entry, FileKind
from checker.model.deployments import JOB_ID, PARALLELISM, Deployment
from checker.model.nested import gathered
from checker.model.unknowns import Location, given_by

_DECIDES = re.compile(
    r"(^|\.)(pipeline\.|execution\.(runtime-mode|state-recovery|savepoint)|table\.|parallelism\.default$|taskmanager\.parallelism|"
    r"python\.(operator-chaining|execution-mode)|"
    r"job\.(args|entryClass|savepointRedeployNonce|allowNonRestoredState)|args|mainArgs|programArgs|className|entryClass|state\.backend(\.type)?$|state\.(backend\.)?changelog\.enabled$)"
)
_READ_WITH = re.compile(
    r"(^|\.)(job\.(args|entryClass|parallelism|allowNonRestoredState|upgradeMode)(\.|\[|$)|(args|mainArgs|programArgs|className|parallelism)$|metadata\.name(space)?$|flinkVersion$|parallelism\.default$|"
    r"python\.(operator-chaining|execution-mode)|execution\.runtime-mode$|"
    r"execution\.(savepoint|state-recovery)\.ignore-unclaimed-state$|state\.backend(\.type)?$|"
    r"state\.(backend\.)?changelog\.enabled$|"
    r"pipeline\.serialization-config(\.|\[|$)|"
    r"pipeline\.(max-parallelism|operator-chaining|auto-generate-uids))"
)
"""What a pipeline is read with where its deployment is known."""
_SERIALIZERS = "pipeline.serialization-config"
"""What it says is read of the revision's files, but for serializers of Kryo that classes are given."""
_WORD = re.compile(r"\w+")
_WORDS_ONLY = re.compile(
    r"(^|\.)(pipeline\.(name|vertex-description-mode|vertex-name-include-index-prefix|auto-watermark-interval|object-reuse|closure-cleaner-level|"
    r"cached-files|built-in-collection-types)|"
    r"execution\.(savepoint-restore-mode|state-recovery\.(claim-mode|from-local)))$"
)
"""Options that neither a graph nor what a restored state holds depends on: who owns the files of a snapshot, too."""
_OPTION = re.compile(r"(?:^|\.)((?:state|pipeline|execution|table|python|parallelism|taskmanager)\.[\w.-]+)$")
"""How the key of an option ends on which a job may depend, wherever it stands."""
_OF_FLINK = re.compile(
    r"(?:\$internal|akka|pekko|azure|blob|classloader|cleanup-strategy|containerized|execution|external-resources?|fs|gs|hadoop|"
    r"heartbeat|high-availability|historyserver|jmx|jobmanager|jobstore|kubernetes|mesos|metrics|minicluster|oss|parallelism|"
    r"pipeline|plugin|presto|python|queryable-state|resourcemanager|rest|restart-strategy|s3a?|scheduler|security|slotmanager|"
    r"sql-client|sql-gateway|state|table|taskmanager|traces|web|yarn|zookeeper"
    r"|client\.(?:retry|timeout|heartbeat)|cluster\.(?:evenly|io-pool|processes|registration|services|thread|uncaught|intercept)"
    r"|compiler\.delimited|env\.(?:java|hadoop|yarn|hbase|log|pid|ssh|stdout)|flink\.(?:hadoop|yarn)|internal\.job|io\.tmp"
    r"|job\.autoscaler|process\.(?:jobmanager|taskmanager|working)|query\.(?:server|proxy)|slot\.(?:idle|request)"
    r"|streaming\.|task\.cancellation|user\.artifacts)\b"
)
"""How the options begin that Flink, its file systems and its operator take; a program may be given others."""
_GIVEN = re.compile(r"flinkConfiguration\.(.+)")
_CONFIGURATION = re.compile(r"(^|/)((flink-conf|config)\.ya?ml|[^/]*Dockerfile[^/]*|[^/]*\.(sh|bash))$")
"""Flink's configuration, and what writes it."""
_FIRST_START = re.compile(r"(^|\.)job\.initialSavepointPath$")
_ONLY_PARALLELISM = re.compile(r"(^|\.)(parallelism(\.default)?|job\.parallelism)$")
_NO_ID = "0" * 32
"""The id of a cluster's only job, where nothing gives it one."""
_DRIVER = "org.apache.flink.client.python.PythonDriver"
"""The entry class of PyFlink's jobs."""


_Places = dict[tuple[str, str], list[tuple[str, str]]]
"""Option and value → where they stand."""


def moved_options(changed: Sequence[ChangedFile]) -> frozenset[tuple[str, str]]:
    """Options of clusters that one file gives in the base and another one in the head: (path, key)."""
    sides: tuple[_Places, _Places] = ({}, {})
    for file in changed:
        known = [{(entry.key, entry.value) for entry in side or ()} for side in (file.base, file.head)]
        for found, own, beside in zip(sides, known, reversed(known), strict=True):
            for key, value in own - beside if file.kind is FileKind.DEPLOYMENT else ():
                option = None if "flinkConfiguration" in key else _OPTION.search(key)
                if option is not None:
                    found.setdefault((option[1], value), []).append((file.path, key))
    both = sides[0].keys() & sides[1].keys()
    return frozenset(place for found in sides for option in both for place in found[option])


def deployment_edits(
    file: ChangedFile, reach: Reach, moved: frozenset[tuple[str, str]] = frozenset()
) -> Iterator[Edit]:
    """Every edit of a manifest, except for what it says of other programs, and for what was ``moved``."""
    apart = bool(reach.resources) or file.path in reach.elsewhere  # the operator hands its own to a cluster
    if apart and file.path not in reach.deployed and _CONFIGURATION.search(file.path):
        return
    if file.path in reach.of_other_starts:
        return
    others = _documents_of_others(file, reach)
    workloads = _documents(file, _OF_KUBERNETES)
    reads = file.path in reach.deployed and file.path.endswith((".yaml", ".yml", ".json"))
    for entry in differing_entries(file):
        if _document(entry) in workloads and _ONLY_PARALLELISM.search(entry.key):
            continue  # of its pods
        if (file.path, entry.key) in moved:
            continue
        if _document(entry) not in others:
            values = {e.value for e in (*(file.base or ()), *(file.head or ())) if e.key == entry.key}
            verdict = _verdict(entry.key, values, reach.facts, read_with=reads)
            given = _GIVEN.search(entry.key)
            option = given[1] if given else entry.key if _CONFIGURATION.search(file.path) else None
            verdict = _of_the_program(option, reach) or verdict
            yield edit(file, Thing.CONFIGURATION, entry.key, verdict, entry.line)


def configuration_edits(before: Deployment, after: Deployment, reach: Reach) -> Iterator[Edit]:
    """What a start command gives to Flink in one revision only, as ``-D`` for instance."""
    given, gives = ({**dict.fromkeys(s.filled_later, ""), **dict(s.configuration)} for s in (before, after))
    for key in sorted(given.keys() | gives.keys()):
        if key == JOB_ID and (after.starts_from_snapshot or given.get(key, _NO_ID) == gives.get(key, _NO_ID)):
            continue  # only checkpoints of high availability lie under it
        if given.get(key) != gives.get(key):
            read = _SERIALIZERS not in key or all(s.location.file.endswith(SET_SERIALIZERS) for s in (before, after))
            values = {side[key] for side in (given, gives) if key in side}
            verdict = _of_the_program(key, reach) or _verdict(key, values, reach.facts, read_with=read)
            yield verdict.edit(Thing.CONFIGURATION, key, before.location, after.location)


def variable_edits(before: Deployment, after: Deployment) -> Iterator[Edit]:
    """Variables of the environment that a program was given otherwise: whether it asks for them, its readings show."""
    given, gives = dict(before.environment), dict(after.environment)
    for name in sorted(given.keys() | gives.keys()):
        if given.get(name) != gives.get(name):
            yield READ.edit(Thing.CONFIGURATION, name, before.location, after.location)


def start_edit(name: str, place: Location, arguments: Collection[str] = ()) -> Edit:
    """A changed line of what starts a pipeline, in a file that is not read completely. ``arguments`` can be given."""
    settled_by = "--parallelism" if name == PARALLELISM else given_by(name) if name in arguments else None
    why = "its value may change here, and operators or state depend on it: this file is not read completely"
    return _not_understood(name, place, why, settled_by)


def key_variable_edit(name: str, place: Location) -> Edit:
    """A changed line that may give another value to a variable which keys are computed with as records come."""
    return _not_understood(name, place, f"keys are computed with {name}, which it may set: state would not be found")


def image_edit(place: Location, base: frozenset[str], head: frozenset[str], facts: Facts) -> Edit:
    """Another release of Flink's image: compared where the pipeline was read with the same releases."""
    name = f"Flink {', '.join(sorted(base))} → {', '.join(sorted(head))}"
    read = [frozenset({".".join((topology.flink or "").split(".")[:2])}) for topology in facts.topologies]
    if read == [base, head]:
        return READ.edit(Thing.CONFIGURATION, name, place, place)
    why = "the program was read with the version that its build names, and the image runs another one"
    return _not_understood(name, place, why, "the Flink version of the build, or flink in savepoint-checker.toml")


def unrendered_edit(rendered: str, name: str, place: Location) -> Edit:
    """A changed line of what has to be rendered and may start the pipeline; ``rendered`` says what that is."""
    why = f"the job may be started with it, and {rendered} are read as their tool renders them"
    return _not_understood(name, place, why, "--manifests and --base-manifests, or rendered in savepoint-checker.toml")


def jar_edit(before: Deployment, after: Deployment) -> Edit:
    """Another jar, which the module of the pipeline does not make."""
    why = "the deployment starts another jar, and the module of this pipeline makes none of that name"
    return _not_understood(f"{before.jar} → {after.jar}", after.place_of("job.jarURI"), why)


def outside_edit(before: Deployment, after: Deployment, facts: Facts) -> Iterator[Edit]:
    """Other values from outside of the repository, or another revision of them, where something depends on them."""
    if before.outside != after.outside and (facts.asked_for or not facts.pinned):
        why = "it may give other values to the job, which are not in this repository or not followed"
        name = ", ".join(sorted(set(before.outside) ^ set(after.outside)))
        yield _not_understood(name, after.location, why)


def unsure_edit(start: Deployment, *, ended: bool = False) -> Edit:
    """A deployment that gives something else to a program, which may be this pipeline's or another one's.

    ``ended``: the pipeline was started here, and nothing starts it here in the head.
    """
    unsure = "several fit what it names" if start.jar or start.script else "it is not read"
    why = f"the {start.kind} may start this pipeline: {unsure}"
    if ended:
        named = start.main or start.script or start.jar or "another one"
        why = f"the {start.kind} started this pipeline, and this program is not what it names now ({named})"
    return _not_understood(start.name, start.location, why)


def unread_start(*starts: Deployment) -> Edit:
    """What starts a pipeline that could not be read, and gives it something else."""
    before, start = starts
    given = [{*s.configuration, *s.environment, *((name, "") for name in s.filled_later)} for s in starts]
    names = ", ".join(sorted({name for name, _ in given[0] ^ given[1]}))
    return UNREAD.edit(Thing.CONFIGURATION, f"{start.name}{names and f': {names}'}", before.location, start.location)


def _not_understood(name: str, place: Location, reason: str, settled_by: str | None = None) -> Edit:
    return Verdict(Why.CONFIGURATION, reason, settled_by).edit(Thing.CONFIGURATION, name, place, place)


def decides(file: ChangedFile) -> bool:
    """Whether a deployment differs in what may decide a graph or how state is restored."""
    return any(may_decide(entry.key) for entry in differing_entries(file))


def may_decide(key: str) -> bool:
    """Whether a graph, or how state is restored, may depend on a field of a manifest or an option of Flink."""
    return (_DECIDES.search(key) or _READ_WITH.search(key)) is not None


def _verdict(key: str, values: Collection[str], facts: Facts, *, read_with: bool) -> Verdict:
    """What an option or field means that has ``values`` in the revisions."""
    unread = _SERIALIZERS in key and (
        key.endswith(".class") or any({"kryo", "class"} <= {*_WORD.findall(v)} for v in values)
    )
    if read_with and _READ_WITH.search(key) and not unread:
        return READ
    if _ONLY_PARALLELISM.search(key):
        always = facts.pinned and all(value.isdecimal() and int(value) <= _ALWAYS_ENOUGH for value in values)
        return UNUSED if always else Verdict(Why.CONFIGURATION)
    if _FIRST_START.search(key) or _WORDS_ONLY.search(key) or not _DECIDES.search(key):
        return UNUSED
    return Verdict(Why.CONFIGURATION)


def _of_the_program(option: str | None, reach: Reach) -> Verdict | None:
    """What an option means that is none of Flink's, where code that was not read may ask for it."""
    if option is None or _OF_FLINK.match(option) or may_decide(option) or not reach.facts.decided_elsewhere:
        return None
    if reach.mentions(lambda text: text == option) is False:
        return None  # by code that works on records
    why = f"code that was not read may ask for {option} and decide a part of the graph or state"
    return Verdict(Why.CONFIGURATION, why)


_ALWAYS_ENOUGH = 128
"""Key groups that state of keys has at least, where no program says how many."""


_DOCUMENT = re.compile(r"(?:\d+\.)?(?:items\.\d+\.)?")


def _document(entry: Entry) -> str:
    """Which document of a file an entry belongs to: how its key begins, empty for the first document."""
    match = _DOCUMENT.match(entry.key)
    return "" if match is None else match[0]


_OF_KUBERNETES = re.compile(r"(?!Flink|ConfigMap$|Secret$|HelmRelease$|Application)[A-Z]\w+")


def _documents(file: ChangedFile, kinds: re.Pattern[str]) -> frozenset[str]:
    """The documents of a file that are resources of some kinds in each revision that has them."""
    entries = (*(file.base or ()), *(file.head or ()))
    found = gathered((_document(e), kinds.fullmatch(e.value)) for e in entries if e.key == f"{_document(e)}kind")
    return frozenset(document for document, fits in found.items() if all(fits))


def _documents_of_others(file: ChangedFile, reach: Reach) -> frozenset[str]:
    """The documents that start another program than the one that is looked at, or another job, in both revisions."""
    entries = (*(file.base or ()), *(file.head or ()))
    arguments: dict[str, str] = {}
    for entry in entries:
        if entry.key.endswith("job.args"):
            arguments[_document(entry)] = arguments.get(_document(entry), "") + entry.value
    script = reach.main.rpartition("/")[2]
    started: dict[str, set[bool]] = {}
    apart = bool(reach.resources) and file.path not in reach.deployed
    other_resources = _other_resources(entries, reach)
    sides = [{_document(entry) for entry in side or ()} for side in (file.base, file.head)]
    new_or_gone = sides[0] ^ sides[1] if apart else set()
    for entry in entries:
        if entry.key.endswith("entryClass"):
            given = arguments.get(_document(entry), "")
            own = (".py" not in given or script in given) if entry.value == _DRIVER else entry.value == reach.entry
            # Another resource of the same program is judged as a pipeline of its own.
            started.setdefault(_document(entry), set()).add(own and not apart)
        elif entry.key.endswith("job.jarURI") and _document(entry) in new_or_gone:
            started.setdefault(_document(entry), set()).add(False)
    return other_resources | {document for document, owns in started.items() if owns == {False}}


def _other_resources(entries: Sequence[Entry], reach: Reach) -> frozenset[str]:
    """The documents that are resources of the operator, or patches of some, by names that are none of the pipeline's.

    Kustomize may put something in front of a name or behind it.
    """
    flink = {_document(entry) for entry in entries if entry.key == f"{_document(entry)}kind" and "Flink" in entry.value}
    names_of = ((_document(e), e) for e in entries if _document(e) in flink)
    named = gathered((document, e.value) for document, e in names_of if e.key == f"{document}metadata.name")
    return frozenset(
        document
        for document, names in named.items()
        if (
            reach.resources
            and not any("{" in n or "$" in n or any(n in whole for whole in reach.resources) for n in names)
        )
        or reach.of_others.issuperset(names)
    )
