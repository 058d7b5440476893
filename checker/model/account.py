"""The account of a change: every edit that a pipeline's program can reach, and what explains it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from checker.model.unknowns import Location


class Explanation(StrEnum):
    """What became of an edit."""

    COMPARED = "compared"
    """It is part of what was compared: operators, ids, states, types, keys. Their findings say what it does."""
    WITHOUT_EFFECT = "without-effect"
    """It has no effect on restored state, for a reason that is stated."""
    NOT_UNDERSTOOD = "not-understood"
    """Not known: the pipeline is undecided."""


class Why(StrEnum):
    """The reason of an explanation. ``SENTENCES`` has its words."""

    FOLLOWED = "followed"
    READ = "read"
    BODY = "body"
    UNUSED = "unused"
    SAME_PROGRAM = "same-program"
    STATE = "state"
    KEY = "key"
    GRAPH = "graph"
    TYPE = "type"
    FILE = "file"
    BROKEN = "broken"
    DEPENDENCY = "dependency"
    RELEASE = "release"
    BROKEN_RELEASE = "broken-release"
    CONFIGURATION = "configuration"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a reason says: the explanation that it is, a clause that completes "not understood: …", what settles it."""

    explanation: Explanation
    text: str
    settled_by: str | None = None


RUN = "--allow-exec"
"""What settles an edit of code that can't be followed: real Flink runs the program."""
TRY = "a start of the head from a savepoint of the base in a test environment"
"""What settles how state is written."""

SENTENCES: Final = {
    Why.FOLLOWED: Sentence(Explanation.COMPARED, "it was followed while the graph was built: its result was compared"),
    Why.READ: Sentence(Explanation.COMPARED, "what it says was read in both revisions and compared"),
    Why.BODY: Sentence(Explanation.WITHOUT_EFFECT, "it only runs while records are processed: not judged"),
    Why.UNUSED: Sentence(Explanation.WITHOUT_EFFECT, "neither the graph nor a state depends on it"),
    Why.SAME_PROGRAM: Sentence(Explanation.WITHOUT_EFFECT, "it leaves the program as it is"),
    Why.STATE: Sentence(Explanation.NOT_UNDERSTOOD, "it may decide a state that was not read", RUN),
    Why.KEY: Sentence(Explanation.NOT_UNDERSTOOD, "it may decide keys, and how they are computed was not read"),
    Why.GRAPH: Sentence(Explanation.NOT_UNDERSTOOD, "it may build a part of the graph that was not followed", RUN),
    Why.TYPE: Sentence(Explanation.NOT_UNDERSTOOD, "it may decide how state is written", TRY),
    Why.FILE: Sentence(Explanation.NOT_UNDERSTOOD, "the pipeline may depend on this file, which was not read", RUN),
    Why.BROKEN: Sentence(Explanation.NOT_UNDERSTOOD, "the file does not parse", "a file that compiles"),
    Why.DEPENDENCY: Sentence(Explanation.NOT_UNDERSTOOD, "graph or state may depend on this library", TRY),
    Why.RELEASE: Sentence(
        Explanation.COMPARED, "look up whether the new release reads the state of the old one"
    ),
    Why.BROKEN_RELEASE: Sentence(Explanation.COMPARED, "the new release does not read the state of the old one"),
    Why.CONFIGURATION: Sentence(
        Explanation.NOT_UNDERSTOOD, "graph or state may depend on how the job is started", "[[deployment]]"
    ),
    Why.UNREAD: Sentence(
        Explanation.NOT_UNDERSTOOD, "the pipeline could not be read, so nothing was compared", RUN
    ),
}  # fmt: skip
"""The words of every reason."""


class Thing(StrEnum):
    """What was edited."""

    DECLARATION = "declaration"
    RESOURCE = "resource"
    SCHEMA = "schema"
    BUILD = "build"
    CONFIGURATION = "configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One edit with its explanation. A place is None on the side that does not have the thing."""

    thing: Thing
    name: str
    """What was edited: ``com.acme.Dedup.open``, a dependency, a key."""
    base: Location | None
    head: Location | None
    explanation: Explanation
    why: Why
    reason: str
    """A clause that completes "not understood: …" and the like."""
    settled_by: str | None = None
    aside: bool = False
    """Nothing that builds the graph, registers state or chooses keys may use it, whatever was not followed."""

    @property
    def location(self) -> Location | None:
        """Where to look first."""
        return self.head or self.base


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildUse:
    """What edits of build files are judged by."""

    folders: frozenset[str]
    """Folders of the code that the program can reach, each with a slash at its end."""
    libraries: frozenset[str]
    """Full names in graphs, states, keys and code that was not followed, but for those of the program's own classes."""
    connectors: frozenset[str]
    """An empty name where tables are in the graph, which may be of any connector."""
    elements_read: bool
    polymorphic: bool
    versions_read: bool
    all_known: bool
    named: frozenset[str] = frozenset()
    """Qualified names in code that was followed."""
    one_version: str | None = None
    """The release of Flink that both revisions are known to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """All edits that one pipeline can reach."""

    edits: tuple[Edit, ...] = ()

    @property
    def not_understood(self) -> tuple[Edit, ...]:
        """The edits that leave the pipeline undecided."""
        return tuple(e for e in self.edits if e.explanation is Explanation.NOT_UNDERSTOOD)

    @property
    def without_effect(self) -> bool:
        """No edit that the pipeline can reach has an effect on restored state."""
        return all(e.explanation is Explanation.WITHOUT_EFFECT for e in self.edits)

    @property
    def leaves_program(self) -> bool:
        """Both revisions build one graph: no edit that it can reach changes anything that the graph may be made of.

        That nothing uses a declaration is certain only where it is ``aside``.
        """
        return all(
            e.aside or e.why is Why.SAME_PROGRAM or (e.why is Why.UNUSED and e.thing is not Thing.DECLARATION)
            for e in self.edits
        )

    def count(self, explanation: Explanation) -> int:
        """How many edits have an explanation."""
        return sum(e.explanation is explanation for e in self.edits)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reason, what else there is to say of this edit, and what would settle it where that is not the usual."""

    why: Why
    detail: str = ""
    settled_by: str | None = None

    @property
    def explanation(self) -> Explanation:
        """What became of the edit."""
        return SENTENCES[self.why].explanation

    def edit(self, thing: Thing, name: str, base: Location | None, head: Location | None) -> Edit:
        """The edit of a thing that is explained so; a place is None where a revision does not have it."""
        sentence = SENTENCES[self.why]
        return Edit(
            thing=thing, name=name, base=base, head=head, explanation=sentence.explanation, why=self.why,
            reason=self._reason(sentence.text),
            settled_by=self.settled_by or sentence.settled_by,
        )  # fmt: skip

    def _reason(self, text: str) -> str:
        if not self.detail:
            return text
        return self.detail if self.why in _SAID_BY_DETAIL else f"{text} ({self.detail})"


_SAID_BY_DETAIL = (Why.CONFIGURATION, Why.DEPENDENCY)
"""Reasons that a detail says in full."""
FOLLOWED = Verdict(Why.FOLLOWED)
NOT_TAKEN = Verdict(Why.FOLLOWED, "the program does not come to it")
READ = Verdict(Why.READ)
BODY = Verdict(Why.BODY)
UNUSED = Verdict(Why.UNUSED)
SAME_PROGRAM = Verdict(Why.SAME_PROGRAM)
UNREAD = Verdict(Why.UNREAD)

GRAVITY = {Explanation.WITHOUT_EFFECT: 0, Explanation.COMPARED: 1, Explanation.NOT_UNDERSTOOD: 2}
"""Which of several explanations of one edit counts: the greatest."""
