"""Example pairs of topologies, one folder a case: what all rules see in each is recorded beside it.

``python -m tests.rules.examples`` writes the records anew; the differences are for people to judge.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from checker.compare import compare_pipelines
from checker.compare.revisions.mapping import MappingEntry, entries_for, read_mapping
from checker.extract.deployments.discovery import deployments
from checker.extract.documents.reader import iterate_documents
from checker.flink import translate
from checker.model.account import Account, Edit, Explanation, Thing, Why
from checker.model.comparison import Comparison
from checker.model.deployments import Deployment
from checker.model.findings import Finding
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from checker.model.unknowns import Location
from checker.rules import Revision, RuleContext, run_rules

EXAMPLES = Path(__file__).parent / "examples"
INCIDENTS = Path(__file__).parent / "incidents"


@dataclass(frozen=True)
class Example:
    """One folder: a base, a head (either may be missing), and a mapping file where there is one."""

    folder: Path
    base: Translation | None
    head: Translation | None
    mapping: tuple[MappingEntry, ...]
    account: Account | None = None
    deployments: tuple[Deployment | None, Deployment | None] = (None, None)

    @property
    def name(self) -> str:
        return self.folder.name

    def context(self, base: Translation | None, head: Translation | None) -> RuleContext:
        comparison: Comparison = compare_pipelines("orders", base, head, self.mapping)
        return RuleContext(
            pipeline="orders",
            base=Revision(translation=base, deployment=self.deployments[0 if base is self.base else 1]),
            head=Revision(translation=head, deployment=self.deployments[1 if head is self.head else 0]),
            comparison=comparison,
            account=self.account if base is not head else None,
        )

    def findings(self) -> tuple[Finding, ...]:
        return run_rules(self.context(self.base, self.head))

    @property
    def expected(self) -> list[str]:
        recorded: list[str] = json.loads((self.folder / "expected.json").read_text("utf-8"))
        return recorded


def shown(finding: Finding) -> str:
    """A finding as the records hold it."""
    others = f" +{len(finding.followers)}" if finding.followers else ""
    return f"{finding.severity} {finding.rule} {finding.operator_key}{others}"


@cache
def load(folder: Path) -> Example:
    sides: list[Translation | None] = []
    for side in ("base", "head"):
        path = folder / f"{side}.topology.yaml"
        text = path.read_text("utf-8") if path.exists() else ""
        sides.append(translate(next(iterate_documents(text, path.name))[1]) if text else None)
    mapping = folder / "savepoint-mapping.toml"
    entries = entries_for(read_mapping(mapping.read_text("utf-8")), "orders") if mapping.exists() else ()
    edits = folder / "account.json"
    account = account_from(json.loads(edits.read_text("utf-8"))) if edits.exists() else None
    sides_deployed = (deployed(folder, "base"), deployed(folder, "head"))
    return Example(folder, sides[0], sides[1], entries, account, sides_deployed)


def deployed(folder: Path, side: str) -> Deployment | None:
    """The deployment of one side, where the example has one."""
    path = folder / f"{side}.deployment.yaml"
    found = deployments(MemoryFiles({path.name: path.read_bytes()})) if path.exists() else ()
    return found[0] if found else None


def account_from(edits: list[dict[str, str]]) -> Account:
    """The account of an example's edits, which are in files that the example does not have."""
    return Account(
        edits=tuple(
            Edit(
                thing=Thing(edit["thing"]),
                name=edit["name"],
                base=Location(edit["file"], 1),
                head=Location(edit["file"], 1),
                explanation=Explanation(edit["explanation"]),
                why=Why(edit["why"]),
                reason=edit["reason"],
            )
            for edit in edits
        )
    )


def examples(root: Path = EXAMPLES) -> list[Example]:
    return [load(folder) for folder in sorted(root.iterdir()) if folder.is_dir()]


def main() -> None:
    for root in (EXAMPLES, INCIDENTS):
        for example in examples(root):
            found = [shown(f) for f in example.findings()]
            (example.folder / "expected.json").write_text(
                json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
            )


if __name__ == "__main__":
    main()
