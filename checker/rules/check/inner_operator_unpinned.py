"""Operators that a sink makes itself keep generated ids unless they are pinned one by one."""

from checker.model.findings import Hit, Severity
from checker.model.stream_graph import Role
from checker.model.topology import Kind
from checker.rules.base import Category, Hits, Revision, revision_rule, title_of

_INNER = (Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT)


@revision_rule("An operator inside a sink has no uid although the sink has one", Severity.WARNING, Category.UID)
def find(revision: Revision) -> Hits:
    """One hit per inner operator with state, and one per sink whose pins leave its committer out."""
    for node in revision.nodes.values():
        side = revision.side(node)
        if node.kind is Kind.UNKNOWN or node.stateful is False or node.uid is not None:
            continue
        if node.role in _INNER and node.uid_hash is None:
            yield Hit(
                message=f"{title_of(side)} is made by the sink and keeps a generated id: a uid on the "
                "sink does not pin it",
                operator_key=str(side.key),
                head=side,
                repair="set a uid where the sink makes the operator; a library's sink often has an option for a prefix",
            )
        hashes = node.declared.uid_hashes
        if node.role is Role.COMMITTER and hashes is not None and hashes.writer and node.uid_hash is None:
            yield Hit(
                message=f"the writer beside {title_of(side)} is pinned, the committer is not: what it has not "
                "committed yet is lost when its id moves",
                operator_key=str(side.key),
                head=side,
                repair='pin both: CustomSinkOperatorUidHashes.builder().setWriterUidHash("...")'
                '.setCommitterUidHash("...").build()',
            )
