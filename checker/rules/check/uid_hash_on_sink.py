"""setUidHash on a sink of the new interface: Flink refuses it."""

from checker.model.translation import RefusalKind
from checker.rules.check.refusals import refusal_rule

find = refusal_rule(
    __name__,
    "setUidHash on a Sink V2",
    {RefusalKind.UID_HASH_ON_SINK},
    "give the hashes to sinkTo: "
    'CustomSinkOperatorUidHashes.builder().setWriterUidHash("...").setCommitterUidHash("...").build()',
)
