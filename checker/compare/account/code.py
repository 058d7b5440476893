"""Explains the edits of code, declaration by declaration, and of files that are no code: schemas and resources.

For build files see ``builds``, for deployments ``deployments``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from checker.compare.account.both_sides import BothSides, Pair, differing, reached_names
from checker.compare.account.builds import Reach, build_edits, differing_entries, edit, in_modules, jar_edits
from checker.compare.account.deployments import deployment_edits, moved_options
from checker.compare.account.facts import Facts
from checker.compare.account.openings import Openings
from checker.compare.account.questions import DataClasses, Edited, PickledClasses, Questions
from checker.model import findings
from checker.model.account import BODY, READ, SAME_PROGRAM, UNUSED, Account, Edit, Explanation, Thing, Verdict, Why
from checker.model.changed_files import CONVENTIONAL, ChangedFile, FileKind, names_file, same_module
from checker.model.comparison import OperatorComparison
from checker.model.program_code import Declaration, Detail, ProgramCode, Statement, simple_name
from checker.model.unknowns import Location, given_by


def code_edits(base: ProgramCode, head: ProgramCode, facts: Facts) -> Iterator[Edit]:
    """Every edit of the code that either revision can reach."""
    explainer = _Explainer(BothSides(base, head, facts))
    for pair in differing(base, head):
        yield explainer.edit(pair)


class _Explainer:
    def __init__(self, sides: BothSides) -> None:
        self.sides = sides
        self.data = DataClasses(sides)
        self.pickled = PickledClasses(sides)
        self.questions = Questions(sides, self.data)
        self.openings = Openings(sides)
        self.unplanned = _unplanned(sides)

    def edit(self, pair: Pair) -> Edit:
        before, after = self.sides.details(pair)
        edited = Edited(pair, before, after, *_changed(before, after))
        same = before is not None and after is not None and before.normal == after.normal
        verdict = self._beside_statements(pair) or (SAME_PROGRAM if same else self.questions.answer(edited))
        verdict = self.openings.explained(pair, verdict, edited.statements)
        base, head = _place(edited.old, pair.base), _place(edited.new, pair.head)
        found = verdict.edit(Thing.DECLARATION, _name(pair.any), base, head)
        if verdict.why in (Why.BODY, Why.UNUSED):
            found = replace(found, aside=self.openings.beside(pair, edited.statements))
        return found

    def _beside_statements(self, pair: Pair) -> Verdict | None:
        """What counts wherever the class of a declaration is written, taken out or renamed."""
        owner = simple_name(pair.any.key[0])
        if self.sides.facts.pickles and self.pickled.changed_by(pair):
            return Verdict(Why.TYPE, "state may hold objects that Python pickled with it")
        if owner in self.unplanned:
            return Verdict(Why.UNREAD, "tables use it that could not be planned")
        if pair.moved:
            return UNUSED
        if self.data.written_subclass(pair):
            return Verdict(Why.TYPE, f"a super class of {owner} lies in state, and objects of it are found by its name")
        return UNUSED if self.sides.class_of_one_side(pair) else None


def _place(statements: Sequence[Statement], declaration: Declaration | None) -> Location | None:
    """Where to look: at the first statement that differs, else at the declaration."""
    if statements:
        return statements[0].location
    return declaration.location if declaration is not None else None


def _changed(before: Detail | None, after: Detail | None) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The statements of each side that the other does not have; all of them where only their order differs."""
    sides = [detail.statements if detail is not None else () for detail in (before, after)]
    old, new = _without(sides[0], sides[1]), _without(sides[1], sides[0])
    return (old, new) if old or new else (sides[0], sides[1])


def _without(some: Sequence[Statement], others: Sequence[Statement]) -> tuple[Statement, ...]:
    left = Counter(statement.code for statement in others)
    found = []
    for statement in some:
        if left[statement.code]:
            left[statement.code] -= 1
        else:
            found.append(statement)
    return tuple(found)


def _unplanned(sides: BothSides) -> set[str]:
    """Classes that tables use which were not planned, and all that the code of these mentions."""
    if not sides.facts.unplanned:
        return set()
    mentioned: dict[str, set[str]] = {}
    for code in sides.both:
        for key, declaration in code.reached.declarations.items():
            mentioned.setdefault(simple_name(key[0]), set()).update(declaration.names)
    return reached_names(sides.facts.unplanned, mentioned)


def _name(declaration: Declaration) -> str:
    owner, name = declaration.key
    return owner if name == "<header>" else f"{owner}.{name}"


_AS_BEFORE = frozenset({findings.Verdict.RESTORES, findings.Verdict.STATELESS})


def with_causes(account: Account, operators: Iterable[OperatorComparison]) -> Account:
    """The account beside a comparison: an operator that does not keep its state does so for an edit.

    States and keys are followed through code by other ways than graphs. Where no edit is known to be compared, any of
    the code is.
    """
    counted = account.count(Explanation.WITHOUT_EFFECT)
    if counted < len(account.edits) or not any(map(_is_another, operators)):
        return account
    return replace(account, edits=tuple(map(_compared, account.edits)))


def _is_another(row: OperatorComparison) -> bool:
    judged = row.base is not None and bool(row.verdicts)
    return judged and row.verdict(findings.RestorePath.SAVEPOINT) not in _AS_BEFORE


def _compared(edit: Edit) -> Edit:
    if edit.thing is not Thing.DECLARATION or edit.why not in (Why.BODY, Why.UNUSED):
        return edit
    return READ.edit(edit.thing, edit.name, edit.base, edit.head)


def file_edits(changed: Sequence[ChangedFile], reach: Reach) -> Iterator[Edit]:
    """Every edit of such a file that the pipeline can reach."""
    moved = moved_options(changed)
    for file in changed:
        if file.broken is not None:
            if _mentioned(file, reach):
                yield edit(file, Thing.RESOURCE, file.path, Verdict(Why.BROKEN), file.broken)
        elif file.unreadable is not None:
            if _mentioned(file, reach):
                yield edit(file, Thing.RESOURCE, file.path, Verdict(Why.FILE, file.unreadable))
        elif file.kind is FileKind.BUILD:
            yield from build_edits(file, reach.builds)
        elif file.kind is FileKind.JARS:
            yield from jar_edits(file, reach.builds) if _gives_jars(file, reach) else ()
        elif file.path in reach.named and file.kind in (FileKind.DEPLOYMENT, FileKind.RESOURCE):
            yield from _of_a_start(file, reach)
        elif file.kind is FileKind.DEPLOYMENT:
            yield from deployment_edits(file, reach, moved)
        elif file.kind is not FileKind.CODE and _mentioned(file, reach):
            yield _unread(file, reach)


# -- resources, schemas, other languages ---------------------------------------------------------------------------


def _mentioned(file: ChangedFile, reach: Reach) -> bool:
    if file.kind is FileKind.SCHEMA and not in_modules(file.path, reach.builds):
        return False
    if file.kind is FileKind.BUILD:
        return in_modules(file.path, reach.builds)
    if file.kind is FileKind.SCHEMA and file.unreadable is not None:
        return True
    if file.path in reach.foreign or file.kind is FileKind.FOREIGN:
        return file.path in reach.foreign
    if file.kind is FileKind.CODE and file.path in reach.files:
        return True
    if file.kind in (FileKind.SCHEMA, FileKind.CODE):
        stem = file.path.rpartition("/")[2].partition(".")[0]
        named = file.names if file.path.endswith(_AVRO) and file.names else file.names | {stem}
        return not reach.names.isdisjoint(named)
    if file.kind is FileKind.SERVICE:
        return file.path.rpartition(".")[2] in reach.names
    beside = reach.beside(file.path)
    if file.path in reach.files or (CONVENTIONAL.search(file.path) and same_module(file.path, beside)):
        return True
    return reach.mentions(lambda text: names_file(text, file.path, beside)) is not None


_AVRO = (".avsc", ".avdl", ".avpr")
"""Schemas whose classes are called after what is in them, whatever the file is called."""


def _gives_jars(file: ChangedFile, reach: Reach) -> bool:
    """Whether the jars that a file names may be the program's: of code only those that the program itself names."""
    code = file.path.endswith((".py", ".java", ".sql"))
    return file.path in reach.files if code else file.path not in reach.elsewhere


def _of_a_start(file: ChangedFile, reach: Reach) -> Iterator[Edit]:
    """Edits of a file that the program is given by its name; of settings only those that it asks for."""
    whole = _unread(file, reach)
    edited = list(differing_entries(file))
    if not edited and file.base and file.head:
        return  # comments
    if whole.explanation is not Explanation.NOT_UNDERSTOOD or not edited or not reach.facts.all_named:
        yield whole
        return
    for entry in edited:
        asked = any(_asks_for(name, entry.key) for name in reach.facts.asked_for)
        given = Verdict(Why.FILE, "the program is given it", given_by(entry.key))
        yield edit(file, Thing.RESOURCE, entry.key, given if asked else UNUSED, entry.line)


def _asks_for(name: str, key: str) -> bool:
    if name.endswith("*"):
        return key.startswith(name[:-1])
    return key in ("", name) or key.endswith(f".{name}") or name.endswith(f".{key}")


_THINGS = {FileKind.SCHEMA: Thing.SCHEMA, FileKind.FOREIGN: Thing.DECLARATION}


def _unread(file: ChangedFile, reach: Reach) -> Edit:
    return edit(file, _THINGS.get(file.kind, Thing.RESOURCE), file.path, _explained(file, reach))


def _explained(file: ChangedFile, reach: Reach) -> Verdict:
    if file.kind is FileKind.LOGGING:
        return SAME_PROGRAM
    if file.kind is FileKind.SCHEMA:
        used = file.names & reach.names
        unread = reach.facts.polymorphic | (reach.facts.words - reach.facts.shapes)
        if reach.facts.elements_read and used and not used & unread:
            return READ
        return Verdict(Why.TYPE, "classes that the program uses are generated from it")
    if file.kind is FileKind.FOREIGN:
        return Verdict(Why.FILE, "the program uses what it declares, and its language is not read")
    if file.path in reach.files:
        return READ
    of_records = file.kind is FileKind.RESOURCE and file.path not in reach.named
    if of_records and reach.mentions(lambda text: names_file(text, file.path, reach.beside(file.path))) is False:
        return BODY
    return UNUSED if reach.facts.all_known else Verdict(Why.FILE)
