"""What is known of a pipeline that no edit reaches: its part of an earlier report, made where nothing else was.

It is used again where both revisions answer everything alike that was asked for it, and only source code differs.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache

from checker.extract import registry
from checker.extract.asking.consulted import ConsultedFiles, Keeping, consulted, plain
from checker.extract.asking.content_facts import RecordsAsJson
from checker.extract.asking.listing import Listing, listing_of
from checker.extract.changed_files.difference import differing
from checker.extract.paths import kind_of
from checker.model.changed_files import FileKind
from checker.model.nested import Json
from checker.model.pipelines import PipelineEntry
from checker.workflows.check.records import CheckPlan

_FINDING_NOTHING = Keeping(
    RecordsAsJson(),
    lambda document: document["status"] == "unchanged" and not document["findings"] and not document["suppressed"],
)


@dataclass(frozen=True, slots=True)
class Unreached:
    """A pipeline of both revisions that may be one which no edit reaches."""

    asked: str
    entry: PipelineEntry
    base: ConsultedFiles
    head: ConsultedFiles

    def known(self) -> Json | None:
        """Its part of an earlier report, None where there is none that holds for both revisions."""
        recalled = _FINDING_NOTHING.recalled(self.asked, plain(self.head))
        if recalled is None or not recalled[1].holds(plain(self.base)):
            return None
        for files in (self.base, self.head):
            files.consulted.add(recalled[1])
        document: Json = recalled[0]
        return {**document, "graphs": dict.fromkeys(("base", "head"), document["graphs"])}

    def keep(self, document: Json) -> None:
        """Keep its part of the report, unless an edit reaches the pipeline or something is found."""
        edits = document["account"]["edits"] if document["account"] else None
        graphs = document["graphs"]
        if edits == [] and self.base.consulted == self.head.consulted and graphs["base"] == graphs["head"]:
            once = json.loads(json.dumps({**document, "graphs": graphs["head"]}))  # whatever classes its texts have
            keeping = replace(_FINDING_NOTHING, secrets=self.entry.secrets)
            keeping.keep(self.asked, plain(self.head), once, self.head.consulted)


def unreached(plan: CheckPlan, name: str) -> Unreached | None:
    """The question whether no edit reaches a pipeline, None where more than code or its entry differs."""
    base, head = plan.entries(name)
    asked = plan.asked.get(name, (base, head))
    if head is None or base != head or asked[0] != asked[1]:
        return None
    if any(read.name == name for read in (*plan.base_read, *plan.head_read)):
        return None
    ending = registry.CODE_ENDINGS.get(head.extract)
    if ending is None or not _only_code(listing_of(plain(plan.base_files)), listing_of(plain(plan.head_files)), ending):
        return None
    judged_by = (sorted(plan.severities.items()), plan.policy.mapping, plan.reasons.get(name), plan.nothing_gone)
    key = f"unreached {head!r} {asked[1]!r} {judged_by!r}"
    return Unreached(key, head, consulted(plan.base_files), consulted(plan.head_files))


@lru_cache(maxsize=4)
def _only_code(base: Listing, head: Listing, ending: str) -> bool:
    """Whether no other files differ than source code that is followed."""
    return all(kind_of(path, ending) is FileKind.CODE for path in differing(base.files, head.files))
