"""Applications of Amazon's Managed Service, as infrastructure code and projects describe them."""

from __future__ import annotations

from checker.extract.deployments import deployed_as, deployments, with_deployment
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


TERRAFORM = """\
resource "aws_kinesisanalyticsv2_application" "orders" {
  name                = "orders-${var.stage}"
  runtime_environment = "FLINK-1_20"
  application_configuration {
    application_code_configuration {
      code_content {
        s3_content_location {
          bucket_arn = aws_s3_bucket.code.arn
          file_key   = "jars/orders-1.0.jar"
        }
      }
    }
    environment_properties {
      property_group {
        property_group_id = "job"
        property_map = {
          uid        = "counts"
          "topic.in" = var.topic
        }
      }
      property_group {
        property_group_id = "out"
        property_map      = { parallelism = 2 }
      }
    }
    flink_application_configuration {
      parallelism_configuration {
        configuration_type = "CUSTOM"
        parallelism        = 3
      }
    }
    run_configuration {
      flink_run_configuration {
        allow_non_restored_state = true
      }
    }
  }
}
"""


def test_terraform() -> None:
    (started,) = found(**{"infra/main.tf": TERRAFORM})
    assert (started.name, started.flink, started.parallelism, started.jar) == ("orders", "1.20", 3, "orders-1.0.jar")
    assert started.properties == (("job", (("uid", "counts"), ("topic.in", None))), ("out", (("parallelism", "2"),)))
    assert started.allow_non_restored_state is True
    (later,) = found(**{"infra/main.tf": TERRAFORM.replace("parallelism        = 3", "parallelism = var.slots")})
    assert later.parallelism is None
    generated = TERRAFORM.replace("property_group {", 'dynamic "property_group" {', 1)
    assert [d.properties for d in found(**{"infra/main.tf": generated})] == [()]
    assert found(**{"infra/main.tf": TERRAFORM + "}"}) == ()


CDK = """\
import * as kda from "aws-cdk-lib/aws-kinesisanalytics";
new kda.CfnApplication(this, "Orders", {
  runtimeEnvironment: "FLINK-1_20",
  applicationConfiguration: {
    environmentProperties: { propertyGroups: [{ propertyGroupId: "job", propertyMap: { uid: 'counts', topic: props.topic } }] },
    flinkApplicationConfiguration: { parallelismConfiguration: { configurationType: "CUSTOM", parallelism: 3 } },
  },
});
"""  # noqa: E501
APP = {"infra/cdk.json": "{}"}
CONSTRUCT = """\
import * as flink from "@aws-cdk/aws-kinesisanalytics-flink-alpha";
new flink.Application(this, "Orders", {
  code: flink.ApplicationCode.fromAsset(path.join(__dirname, "../target/orders-1.0.jar")),
  runtime: flink.Runtime.FLINK_1_20,
  parallelism: 3, // of the whole application
  propertyGroups: { job: { uid: "counts", topic: props.topic } },
});
"""


def test_the_cdk() -> None:
    for text in (CDK, CONSTRUCT):
        (started,) = found(**{"infra/lib/stack.ts": text, **APP})
        assert (started.flink, started.parallelism) == ("1.20", 3)
        assert started.properties == (("job", (("uid", "counts"), ("topic", None))),)
        spread = text.replace('"Orders", {', '"Orders", { ...defaults,')
        assert [(d.parallelism, d.properties) for d in found(**{"infra/lib/stack.ts": spread, **APP})] == [(None, ())]
    (started,) = found(**{"infra/lib/stack.ts": CONSTRUCT, **APP})
    assert started.jar == "orders-1.0.jar"
    assert found(**{"infra/lib/stack.d.ts": CDK, "node_modules/x/stack.ts": CDK, **APP}) == ()
    assert found(**{"web/src/stack.ts": CDK}) == ()


PYTHON_CDK = """\
from aws_cdk import aws_kinesisanalytics as kda
SLOTS = 3
class Orders(Stack):
    def __init__(self, scope, topic):
        kda.CfnApplication(self, "Orders", runtime_environment="FLINK-1_20",
            application_configuration=kda.CfnApplication.ApplicationConfigurationProperty(
                environment_properties={"property_groups": [
                    kda.CfnApplication.PropertyGroupProperty(
                        property_group_id="job", property_map={"job_uid": "counts", "topic": topic})]},
                flink_application_configuration=kda.CfnApplication.FlinkApplicationConfigurationProperty(
                    parallelism_configuration={"configurationType": "CUSTOM", "parallelism": SLOTS})))
"""
PYTHON_CONSTRUCT = """\
import aws_cdk.aws_kinesisanalytics_flink_alpha as flink
class Orders(Stack):
    def __init__(self, scope, topic):
        flink.Application(self, "Orders", code=flink.ApplicationCode.from_asset("../target/orders-1.0.jar"),
            runtime=flink.Runtime.FLINK_1_20, parallelism=3,
            property_groups={"job": {"job_uid": "counts", "topic": topic}})
"""


PROPS = """\
import * as kda from "aws-cdk-lib/aws-kinesisanalytics";
class Stack { constructor() {
  this.props = { runtimeEnvironment: "FLINK-1_20", applicationConfiguration: { flinkApplicationConfiguration: {
    parallelismConfiguration: { configurationType: "CUSTOM", parallelism: 7 } } } };
  this.app = new kda.CfnApplication(this, "Orders", this.props);
} }
"""


def test_properties_of_the_cdk_that_have_a_name() -> None:
    (started,) = found(**{"cdk.json": "{}", "lib/a.ts": PROPS})
    assert (started.flink, started.parallelism) == ("1.20", 7)
    for more in ("    this.props.runtimeEnvironment = other;\n", "    this.props = {};\n"):
        (unsure,) = found(**{"cdk.json": "{}", "lib/a.ts": PROPS.replace("  this.app", f"{more}  this.app")})
        assert (unsure.flink, unsure.parallelism) == (None, None)


def test_the_cdk_in_python() -> None:
    for text in (PYTHON_CDK, PYTHON_CONSTRUCT):
        (started,) = found(**{"infra/stack.py": text, **APP})
        assert (started.flink, started.parallelism) == ("1.20", 3)
        assert started.properties == (("job", (("job_uid", "counts"), ("topic", None))),)
        spread = text.replace('"Orders", ', '"Orders", **defaults, ')
        assert [(d.parallelism, d.properties) for d in found(**{"infra/stack.py": spread, **APP})] == [(None, ())]
    (started,) = found(**{"infra/stack.py": PYTHON_CONSTRUCT, **APP})
    assert (started.jar, started.location.line) == ("orders-1.0.jar", 4)
    for bound_again in ("SLOTS = 3\nSLOTS += 1\n", "SLOTS = 3\nfor SLOTS in (1, 2): pass\n"):
        (started,) = found(**{"infra/stack.py": PYTHON_CDK.replace("SLOTS = 3\n", bound_again), **APP})
        assert started.parallelism is None
    assert found(**{"jobs/stack.py": PYTHON_CDK}) == ()


CDK_JAVA = """\
import software.amazon.awscdk.services.kinesisanalytics.CfnApplicationV2;
class Stack {
  static final String JAR = "orders-1.0.jar";
  Stack(Construct scope) {
    // the job
    CfnApplicationV2.Builder.create(this, "Orders")
      .runtimeEnvironment("FLINK-1_20")
      .serviceExecutionRole(role.getRoleArn())
      .applicationConfiguration(CfnApplicationV2.ApplicationConfigurationProperty.builder()
        .applicationCodeConfiguration(CfnApplicationV2.ApplicationCodeConfigurationProperty.builder()
          .codeContent(CfnApplicationV2.CodeContentProperty.builder().s3ContentLocation(
            CfnApplicationV2.S3ContentLocationProperty.builder().bucketArn(bucket).fileKey(JAR).build()).build()).build())
        .environmentProperties(CfnApplicationV2.EnvironmentPropertiesProperty.builder().propertyGroups(List.of(
          CfnApplicationV2.PropertyGroupProperty.builder().propertyGroupId("job").propertyMap(Map.of(
            "uid", "orders", "stream", stream.getName())).build())).build())
        .flinkApplicationConfiguration(CfnApplicationV2.FlinkApplicationConfigurationProperty.builder()
          .parallelismConfiguration(CfnApplicationV2.ParallelismConfigurationProperty.builder()
            .configurationType("CUSTOM").parallelism(4).build()).build())
        .build())
      .build();
  }
}
"""
CDK_JAVA_ALPHA = """\
import software.amazon.awscdk.services.kinesisanalytics.flink.alpha.*;
class Stack { Stack() { Application.Builder.create(this, "Orders").code(ApplicationCode.fromAsset("../orders-1.0.jar"))
  .runtime(Runtime.FLINK_1_20).parallelism(4).propertyGroups(Map.of("job", Map.of("uid", "orders"))).build(); } }
"""


def test_the_cdk_in_java() -> None:
    for text, groups in (
        (CDK_JAVA, (("job", (("uid", "orders"), ("stream", None))),)),
        (CDK_JAVA_ALPHA, (("job", (("uid", "orders"),)),)),
    ):
        (started,) = found(**{**APP, "infra/src/main/java/Stack.java": text})
        assert (started.name, started.jar, started.flink, started.parallelism) == (
            "Orders",
            "orders-1.0.jar",
            "1.20",
            4,
        )
        assert started.properties == groups
        assert found(**{"infra/src/main/java/Stack.java": text}) == ()


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
