"""Whether states can still be read depends on something that the source does not settle."""

from checker.compare.fit.states import spelled
from checker.compare.fit.types import Fit
from checker.compare.revisions.declared_fit import key_fit
from checker.compare.revisions.states import Aspect, effects
from checker.model.findings import Evidence, Hit, Severity, Verdict
from checker.rules.base import Category, Hits, RuleContext, kept_pairs, rule, title_of
from checker.rules.check.state_changes import MIGRATE, class_of, evidence_of, inside, type_changes

_SERIALIZERS = (
    "check how the state is serialized: fields of a POJO may come and go; a renamed class does not restore, nor does "
    "another type that Kryo writes"
)
_KEY = (
    "check that every element still has an equal key with the same hash code: keyed state never moves to other keys; "
    "if not, keep the old key, or give the operator a new uid"
)
_WINDOW = "check that the new assigner makes the same windows: open windows keep the bounds that they have"
_STATES = (
    "check that the operator still registers the same states by name, kind and type: a state that it does not ask for "
    "stays behind"
)
_MEANING = "check that the source reads the same topics: if not, give it a new uid, and it starts without old offsets"
_ADVICE = {
    Aspect.KEY: _KEY,
    Aspect.KEY_PART: _KEY,
    Aspect.MEANING: _MEANING,
    Aspect.STATES: _STATES,
    Aspect.WINDOW: _WINDOW,
}
_TOLD_ELSEWHERE = (Aspect.CONNECTOR, Aspect.TIME_TO_LIVE)


@rule("A state may no longer be readable", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator that finds its state and of which some effect is open."""
    for row, side, base, head in kept_pairs(context):
        if base.stateful is False:
            continue
        found = effects(row.state_changes, base, head, context.releases)
        key = key_fit(base.declared, head.declared, context.releases)
        elsewhere = {*_TOLD_ELSEWHERE, *({Aspect.KEY_PART} if key.fit is Fit.INCOMPATIBLE else ())}
        opened = [e for e in found if e.verdict is Verdict.UNDECIDED and e.aspect not in elsewhere]
        if not opened:
            continue
        reasons = "; ".join(e.reason for e in opened)
        changes = type_changes(row, Fit.OPEN)
        evidence = [e for c in changes for e in evidence_of(c)]
        classes = dict.fromkeys(class_of([c], why) for c in changes for why in inside(c))
        edits = [place for place in classes if place is not None]
        evidence += [Evidence("edit", after=str(place)) for place in edits]
        if key.fit is Fit.OPEN:
            types = (spelled(side.declared.key_type) for side in (base, head))
            evidence.insert(0, Evidence("key type", *types))
        of_key = all(e.aspect in (Aspect.KEY, Aspect.KEY_PART) for e in opened)
        serializers = MIGRATE if context.releases.newer_kryo else _SERIALIZERS
        lost = "elements may not find" if of_key else "Flink may not read"
        yield Hit(
            message=f"{lost} the state of {title_of(side)}: {reasons}",
            base=row.base,
            head=side,
            evidence=tuple(evidence),
            location=next(iter(edits), None) or (head.declared.key_at if of_key else None),
            repair="\n".join(dict.fromkeys(_ADVICE.get(e.aspect, serializers) for e in opened)),
        )
