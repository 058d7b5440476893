"""What is really deployed: the arguments, configuration and versions that manifests and scripts give to pipelines.

In: the files of a revision. Out: ``Deployment`` records, and pipelines completed by them. Called while a ``check`` or
``gate`` is planned, after discovery.
"""

from checker.extract.deployments.discovery import (
    cluster_alone,
    deployments,
    is_command_file,
    runs_tests,
    tells_of_starts,
)
from checker.extract.deployments.matching import (
    deployed_as,
    given,
    makers_of,
    may_be_deployed_as,
    runs_another_jar,
    succeeding,
    with_deployment,
)
from checker.extract.deployments.status import job_of_resource
from checker.extract.deployments.unrendered import may_be_unrendered, unrendered

__all__ = ["cluster_alone", "deployed_as", "deployments", "given", "is_command_file",
           "job_of_resource", "makers_of", "may_be_deployed_as", "may_be_unrendered", "runs_another_jar", "runs_tests",
           "succeeding", "tells_of_starts", "unrendered", "with_deployment"]  # fmt: skip
