"""Programs of Flink releases whose rules are not known: judged where both revisions are one program all the same."""

from collections.abc import Iterator
from dataclasses import replace

from checker.compare.revisions.programs import same_program
from checker.errors import CheckerError, UnsupportedFlinkError
from checker.flink import translate
from checker.flink.versions import nearest_supported
from checker.model.flink_releases import judged_as, minor_of
from checker.model.topology import Topology
from checker.workflows.check.records import JudgeTask, ReadPipeline, Side, has_hole, topology_of


def as_supported(base: Side, head: Side) -> tuple[Side, Side]:
    """Both sides on the nearest release that is supported, where theirs is not and they are the same program.

    Every release gives one program one graph, with the same ids and serializers: whatever these are, they are
    where they were. What is open in a program, tables among it, may be another thing in each.
    """
    if base.read is None or head.read is None or base.read.topology is None or head.read.topology is None:
        return base, head
    before, after = base.read.topology, head.read.topology
    version = before.flink
    if has_hole(before) or any(read.trace is not None and read.trace.tables for read in (base.read, head.read)):
        return base, head
    if version is None or not is_unsupported(before) or not same_program(before, replace(after, name=before.name)):
        return base, head
    nearest = nearest_supported(version)
    how = f"Flink {version}, which is not supported, is judged as {nearest}: both revisions are one program"
    return (
        replace(base, read=replace(base.read, topology=replace(before, flink=nearest), assumed=how)),
        replace(head, read=replace(head.read, topology=replace(after, flink=nearest), assumed=how)),
    )


def is_unsupported(topology: Topology) -> bool:
    """Whether its release builds graphs by rules that are not known."""
    try:
        translate(topology)
    except UnsupportedFlinkError:
        return True
    except CheckerError:
        return False
    return False


def of_compared_releases(task: JudgeTask) -> tuple[ReadPipeline | None, ReadPipeline | None]:
    """Both sides, without the head where one is on an older release and the other on another minor.

    What Flink changed for state between an older release and its successors is not established.
    """
    read = (task.base, task.head)
    versions = [topology.flink for topology in map(topology_of, read) if topology is not None]
    if len({minor_of(version) for version in versions}) < 2 or not any(map(judged_as, versions)):
        return read
    old, new = (version or "of an unknown release" for version in versions)
    why = f"no rules are established for a savepoint of Flink {old} in Flink {new}"
    return task.base, None if task.head is None else replace(task.head, topology=None, failure=why)


def assumptions_of_releases(task: JudgeTask) -> Iterator[str]:
    """Which releases stand for those of the program."""
    for read in (task.base, task.head):
        if read is not None and read.assumed:
            yield read.assumed
        topology = topology_of(read)
        nearest = None if topology is None else judged_as(topology.flink)
        if topology is not None and nearest is not None:
            yield f"Flink {topology.flink} is judged as {nearest}, which builds such jobs alike"
