"""Applications of Amazon's Managed Service, as infrastructure code and projects describe them."""

from checker.extract.deployments.discovery import deployments
from checker.extract.deployments.matching import deployed_as, with_deployment
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles

ORDERS = PipelineEntry(
    name="orders", extract=ExtractorKind.JAVA, main="com.acme.Orders", file="src/main/java/Orders.java"
)


def found(**texts: str) -> tuple[Deployment, ...]:
    return deployments(MemoryFiles({path: text.encode() for path, text in texts.items()}))


TEMPLATE = """\
Parameters:
  Slots: {Type: Number}
Resources:
  Orders:
    Type: AWS::KinesisAnalyticsV2::Application
    Properties:
      RuntimeEnvironment: FLINK-1_20
      ServiceExecutionRole: !Sub ${Role.Arn}
      ApplicationConfiguration:
        ApplicationCodeConfiguration:
          CodeContent: {S3ContentLocation: {BucketARN: !GetAtt Bucket.Arn, FileKey: !Ref Key}}
        EnvironmentProperties:
          PropertyGroups:
            - PropertyGroupId: job
              PropertyMap: {uid: counts, topic: !Ref Topic, debug: true}
        FlinkApplicationConfiguration:
          ParallelismConfiguration: {ConfigurationType: CUSTOM, Parallelism: 3}
"""


def test_a_template_of_managed_flink() -> None:
    (started,) = found(**{"infra/app.yaml": TEMPLATE})
    assert (started.kind, started.flink, started.parallelism, started.args) == (
        DeploymentKind.MANAGED_FLINK,
        "1.20",
        3,
        (),
    )
    assert started.properties == (("job", (("uid", "counts"), ("topic", None), ("debug", "true"))),)
    assert deployed_as(ORDERS, [ORDERS], [started], MemoryFiles({})) == (started,)
    (later,) = found(**{"infra/app.yaml": TEMPLATE.replace("Parallelism: 3", "Parallelism: !Ref Slots")})
    assert later.parallelism is None
    (plain,) = found(**{"infra/app.template": '{"Resources": {"A": {"Type": "AWS::KinesisAnalyticsV2::Application"}}}'})
    assert (plain.parallelism, plain.flink, plain.properties) == (1, None, ())


def test_an_application_has_no_variables_but_those_of_the_service() -> None:
    (template,) = found(**{"infra/app.yaml": TEMPLATE})
    (project,) = found(**{"app/application_properties.json": GROUPS})
    for started in (template, project):
        entry = with_deployment(ORDERS, started)
        assert [entry.is_unset(name) for name in ("IS_LOCAL", "AWS_REGION", "JAVA_HOME")] == [True, False, False]


def test_notebooks_and_applications_of_sql_run_no_program() -> None:
    for runtime in ("ZEPPELIN-FLINK-3_0", "SQL-1_0"):
        assert found(**{"infra/app.yaml": TEMPLATE.replace("FLINK-1_20", runtime)}) == ()


GROUPS = """\
[{"PropertyGroupId": "kinesis.analytics.flink.run.options", "PropertyMap": {"python": "main.py"}},
 {"PropertyGroupId": "job", "PropertyMap": {"uid": "counts"}}]
"""


def test_property_groups_that_a_project_keeps() -> None:
    (kept,) = found(**{"jobs/counts/application_properties.json": GROUPS})
    assert (kept.script, kept.properties) == ("jobs/counts/main.py", (("job", (("uid", "counts"),)),))
    assert kept.assumed == ("the application properties are those of jobs/counts/application_properties.json",)
    assert found(**{"application_properties.json": GROUPS.replace("python", "jar")}) == ()
    assert found(**{"application_properties.json": "[{"}) == ()


def test_a_script_lies_in_the_folder_that_its_archive_is_called_as() -> None:
    content = 'CodeContent: {S3ContentLocation: {FileKey: "jobs/totals.zip"}}'
    text = TEMPLATE.replace(
        "CodeContent: {S3ContentLocation: {BucketARN: !GetAtt Bucket.Arn, FileKey: !Ref Key}}", content
    ).replace("PropertyMap: {uid", "PropertyMap: {python: main.py, uid")
    text = text.replace("PropertyGroupId: job", "PropertyGroupId: kinesis.analytics.flink.run.options")
    entries = [
        PipelineEntry(
            name=folder, extract=ExtractorKind.PYTHON, main=f"jobs/{folder}/main.py", file=f"jobs/{folder}/main.py"
        )
        for folder in ("counts", "totals")
    ]
    files = MemoryFiles({"app.yaml": text.encode(), "jobs/counts/main.py": b"", "jobs/totals/main.py": b""})
    (deployment,) = deployments(files)
    assert [len(deployed_as(entry, entries, (deployment,), files)) for entry in entries] == [0, 1]


def test_a_jar_that_is_not_named_starts_the_main_class_of_the_build() -> None:
    build = b"<project><artifactId>jobs</artifactId><mainClass>com.acme.Orders</mainClass></project>"
    files = MemoryFiles({"app.yaml": TEMPLATE.encode(), "pom.xml": build, "src/main/java/Orders.java": b""})
    tool = PipelineEntry(name="t", extract=ExtractorKind.JAVA, main="com.acme.Tool", file="src/main/java/Tool.java")
    (deployment,) = deployments(files)
    found = [len(deployed_as(entry, [ORDERS, tool], (deployment,), files)) for entry in (ORDERS, tool)]
    assert found == [1, 0]
    unsaid = MemoryFiles({"app.yaml": TEMPLATE.encode(), "pom.xml": b"<project/>", "src/main/java/Orders.java": b""})
    assert not deployed_as(ORDERS, [ORDERS, tool], (deployment,), unsaid)
