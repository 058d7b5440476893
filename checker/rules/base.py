"""The definition of a rule: a slug that never changes, and a function from a comparison to hits."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property

from checker.compare.fit.states import Releases
from checker.compare.revisions.programs import same_program
from checker.compare.revisions.starts import Start, start_of
from checker.model.account import Account
from checker.model.changed_files import ChangedText
from checker.model.comparison import Cause, Comparison, OperatorComparison
from checker.model.deployments import Deployment
from checker.model.findings import Evidence, Finding, Hit, OperatorSide, RestorePath, Severity, Verdict, stable_key
from checker.model.nested import gathered
from checker.model.stream_graph import NodeKey, StreamNode
from checker.model.translation import Translation
from checker.model.unknowns import Location


class Category(StrEnum):
    """What a rule is about, as the catalogue groups them."""

    IDENTITY = "identity"
    STATE = "state"
    PARALLELISM = "parallelism"
    UID = "uid"
    PIN = "pin"
    BUILD = "build"
    RESTORE = "restore"


@dataclass(frozen=True, kw_only=True)
class Revision:
    """One revision of a pipeline as rules see it; translation and failure are None where the pipeline is not there."""

    translation: Translation | None
    failure: str | None = None
    """Why the pipeline could not be read."""
    failure_location: Location | None = None
    refused: bool = False
    """Whether that is because Flink refuses the program."""
    lacking: bool = False
    """Whether this machine lacks what would read the pipeline, or what would plan its tables."""
    certainly_new: bool = False
    """Whether it was in no revision before: its Flink version is not supported, or no pipeline of the base is gone."""
    deployment: Deployment | None = None
    """How an environment runs it, where the repository says so."""
    extractor: str | None = None
    """What read it, None where the revision does not have it."""
    how: str | None = None
    """What exactly was run, where a program was (see ``Extracted.how``)."""

    @cached_property
    def nodes(self) -> dict[NodeKey, StreamNode]:
        """The nodes by their key."""
        return self.translation.node_by_key if self.translation is not None else {}

    def side(self, node: StreamNode) -> OperatorSide:
        """A node as reports name it."""
        assert self.translation is not None
        return OperatorSide.of_node(node, self.translation.identities[node.number])


@dataclass(frozen=True, kw_only=True)
class RuleContext:
    """Everything a rule may look at."""

    pipeline: str
    base: Revision
    head: Revision
    comparison: Comparison
    account: Account | None = None
    """Every edit that the pipeline can reach, None where edits are not accounted for."""
    texts: tuple[ChangedText, ...] = ()
    """The texts between quotes that were changed in the program."""

    @property
    def lacking(self) -> bool:
        """Whether this machine lacks what would tell more of the pipeline."""
        return self.base.lacking or self.head.lacking

    @cached_property
    def start(self) -> Start:
        """How the deployment starts the head."""
        return start_of(self.base.deployment, self.head.deployment)

    @cached_property
    def changed(self) -> bool:
        """The two sides differ in more than locations."""
        if self.base.translation is None or self.head.translation is None:
            return True
        return not same_program(self.base.translation.topology, self.head.translation.topology)

    @cached_property
    def pairs(self) -> tuple[OperatorComparison, ...]:
        """Operators that exist on both sides."""
        return tuple(r for r in self.comparison.operators if r.base is not None and r.head is not None)

    @cached_property
    def releases(self) -> Releases:
        """The releases of Flink on both sides."""
        head = self.head.translation
        facts = () if head is None else (head.topology.extractor, head.topology.state_backend)
        return Releases(self.comparison.base_flink, self.comparison.head_flink, *facts)

    def base_node(self, row: OperatorComparison) -> StreamNode | None:
        """The node of a row in the base."""
        return None if row.base is None else self.base.nodes.get(row.base.key)

    def head_node(self, row: OperatorComparison) -> StreamNode | None:
        """The node of a row in the head."""
        return None if row.head is None else self.head.nodes.get(row.head.key)

    @cached_property
    def comparable(self) -> bool:
        """Both sides were read and both make a job."""
        sides = (self.base.translation, self.head.translation)
        return all(t is not None and t.refusal is None for t in sides)


Hits = Iterable[Hit]
Find = Callable[[RuleContext], Hits]
FindIn = Callable[[Revision], Hits]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. ``slug`` is its stable name, ``since`` the release that introduced it."""

    slug: str
    title: str
    severity: Severity
    category: Category
    since: str
    find: Find


def rule(title: str, severity: Severity, category: Category, since: str = "0.1") -> Callable[[Find], Rule]:
    """Registers a function as the rule named after its module."""

    def made(find: Find) -> Rule:
        slug = find.__module__.rpartition(".")[2].replace("_", "-")
        return Rule(slug=slug, title=title, severity=severity, category=category, since=since, find=find)

    return made


def revision_rule(
    title: str, severity: Severity, category: Category, *, always: bool = False
) -> Callable[[FindIn], Rule]:
    """The same for a rule about one revision by itself: it reports what the head has and the base had not already.

    ``always`` reports it as long as it is there, for what does harm between two runs of one revision.
    """

    def made(find_in: FindIn) -> Rule:
        def find(context: RuleContext) -> Hits:
            judged = context.head.translation is not None or refused_by_head(context)
            found = find_in(context.head) if judged else ()
            if always or context.base.translation is None:
                return tuple(found)
            known = {hit.operator_key for hit in find_in(context.base)}
            sides = ((r.base, r.head) for r in context.comparison.operators)
            renamed = {stable_key(head): stable_key(base) for base, head in sides if base and head}
            return tuple(
                h for h in found if h.operator_key not in known and renamed.get(h.operator_key, "") not in known
            )

        find.__module__ = find_in.__module__
        return rule(title, severity, category)(find)

    return made


def refused_by_head(context: RuleContext) -> bool:
    """Whether Flink refuses the head's program, and nothing speaks against that it took the base's."""
    return context.head.refused and context.base.failure is None


def kept(row: OperatorComparison) -> bool:
    """The operator's counterpart takes its state, for better or worse."""
    if row.base is None or row.head is None or not row.verdicts or lost(row) or row.claimed_by is not None:
        return False
    return row.id_changed is False or row.head.uid_hash == row.base.id


def kept_pairs(context: RuleContext) -> Iterator[tuple[OperatorComparison, OperatorSide, StreamNode, StreamNode]]:
    """Each pair whose state is kept: the row, its head, and the operators of base and head."""
    for row in context.pairs:
        base, head = context.base_node(row), context.head_node(row)
        if base is not None and head is not None and row.head is not None and kept(row):
            yield row, row.head, base, head


def lost(row: OperatorComparison) -> bool:
    """The operator's state is refused on the savepoint path because no operator has its id."""
    if row.base is None or row.stateful is False or not row.verdicts:
        return False
    return (
        row.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS
        and row.verdict(RestorePath.SAVEPOINT, allow_non_restored_state=True) is Verdict.DROPPED
    )


_LOSSES = frozenset({Verdict.FAILS, Verdict.DROPPED, Verdict.MISASSIGNED})


def lost_either_way(row: OperatorComparison) -> bool:
    """The operator's state does not restore whatever the unknown values are; they only decide what becomes of it."""
    if row.base is None or row.stateful is False or not row.undecided:
        return False
    on_savepoint = [v for v in row.verdicts if v.path is RestorePath.SAVEPOINT]
    return any(v.possible for v in on_savepoint) and all(
        _LOSSES.issuperset(v.possible or (v.verdict,)) for v in on_savepoint
    )


MAX_TITLE, MAX_TITLES = 80, 5
"""How much of a name, and how many names, a sentence holds."""


def title_of(side: OperatorSide) -> str:
    """An operator for a sentence."""
    return title(side.name)


def title(name: str) -> str:
    """The name of an operator for a sentence."""
    return f"'{name}'" if len(name) <= MAX_TITLE else f"'{name[:MAX_TITLE]}…'"


def titles_of(sides: Sequence[OperatorSide]) -> str:
    """Some operators for a sentence; the finding's followers name all of them."""
    named = [title_of(side) for side in sides[:MAX_TITLES]]
    if len(sides) > MAX_TITLES:
        named.append(f"{len(sides) - MAX_TITLES} more")
    return ", ".join(named)


def id_evidence(row: OperatorComparison) -> tuple[Evidence, ...]:
    """The ids of both sides, and the cause with its path."""
    base, head = row.base, row.head
    found = [Evidence("operator id", base.id if base else None, head.id if head else None)]
    if (base and base.uid) or (head and head.uid):
        found.append(Evidence("uid", base.uid if base else None, head.uid if head else None))
    found.extend(cause_evidence(row.cause))
    return tuple(found)


def cause_evidence(cause: Cause | None) -> tuple[Evidence, ...]:
    """A cause and the way from it, as facts."""
    if cause is None:
        return ()
    found = [Evidence("cause", after=cause.text)]
    if len(cause.path) > 1:
        found.append(Evidence("path", after=" → ".join(cause.path)))
    return tuple(found)


def finding_of(rule: Rule, severity: Severity, pipeline: str, hit: Hit) -> Finding:
    """A hit with the severity that applies."""
    known = {field.name: getattr(hit, field.name) for field in fields(hit)}
    known["location"] = hit.location or (hit.side.location if hit.side is not None else None)
    lowest = min(filter(None, (severity, hit.at_most)), key=lambda s: s.rank)
    return Finding(rule=rule.slug, severity=lowest, pipeline=pipeline, **known)


def grouped(
    rows: Iterable[OperatorComparison],
    hit: Callable[[OperatorComparison], Hit],
    cause: Callable[[OperatorComparison], object] = lambda row: None,
) -> tuple[Hit, ...]:
    """One hit per cause, by ``cause`` where that says one: its first operator, the others as followers."""
    groups = gathered(
        (cause(row) or (row.cause.group if row.cause is not None else place), row) for place, row in enumerate(rows)
    )
    hits = []
    for first, *others in groups.values():
        hits.append(replace(hit(first), followers=tuple(row.side for row in others)))
    return tuple(hits)
