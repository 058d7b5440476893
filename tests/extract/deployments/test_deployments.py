"""Deployments as manifests, overlays, charts and start commands describe them, and the pipelines that they run."""

import pytest

from checker.extract.deployments.discovery import deployments
from checker.extract.deployments.matching import deployed_as, with_deployment
from checker.model.deployments import Deployment, DeploymentKind, UpgradeMode
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.settings import parse_settings
from checker.workflows.check.environments import deployed_entries

MANIFEST = """\
# the orders job
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders, namespace: prod}
spec:
  image: acme/orders:1
  flinkVersion: v1_20
  flinkConfiguration:
    pipeline.max-parallelism: "256"
    taskmanager:
      numberOfTaskSlots: 2
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - {name: TOPIC, value: orders}
            - {name: SECRET, valueFrom: {secretKeyRef: {name: s, key: k}}}
        - name: sidecar
          env: [{name: OTHER, value: x}]
  job:
    jarURI: local:///opt/flink/usrlib/orders-1.2.jar
    entryClass: com.acme.Orders
    args: ["--rules", "a,b"]
    parallelism: 4
    upgradeMode: last-state
    allowNonRestoredState: true
"""


def found(**texts: str) -> tuple[Deployment, ...]:
    return deployments(files(**texts))


def files(**texts: str) -> MemoryFiles:
    return MemoryFiles({path: text.encode() for path, text in texts.items()})


def orders(**changed: object) -> PipelineEntry:
    fields = {"name": "Orders", "main": "com.acme.Orders", "file": "src/com/acme/Orders.java", **changed}
    return PipelineEntry(extract=ExtractorKind.JAVA, **fields)  # type: ignore[arg-type]


def test_a_flink_deployment_tells_what_its_program_is_given() -> None:
    (started,) = found(**{"deploy/orders.yaml": MANIFEST})
    assert (started.kind, started.name, started.target, started.main) == (
        DeploymentKind.FLINK_DEPLOYMENT, "orders", "prod", "com.acme.Orders"
    )  # fmt: skip
    assert (started.jar, started.args, started.parallelism, started.flink) == (
        "orders-1.2.jar",
        ("--rules", "a,b"),
        4,
        "1.20",
    )
    assert started.configuration == (("pipeline.max-parallelism", "256"), ("taskmanager.numberOfTaskSlots", "2"))
    assert started.environment == (("TOPIC", "orders"),)
    assert (started.upgrade_mode, started.allow_non_restored_state) == (UpgradeMode.LAST_STATE, True)
    assert str(started.location) == "deploy/orders.yaml:3"


def test_a_session_cluster_runs_no_program_and_a_list_holds_several() -> None:
    session = "kind: FlinkDeployment\nmetadata: {name: s}\nspec: {flinkVersion: v2_0} # flink.apache.org\n"
    assert found(**{"a.yaml": session}) == ()
    both = (
        f"kind: List\nitems:\n{''.join('- ' + block(MANIFEST.replace('name: orders,', f'name: o{n},')) for n in 'ab')}"
    )
    assert [d.name for d in found(**{"a.yaml": both})] == ["oa", "ob"]


def block(text: str) -> str:
    return "\n  ".join(line for line in text.splitlines() if not line.startswith("#")) + "\n"


def test_arguments_that_something_fills_in_later_are_not_known() -> None:
    (started,) = found(**{"a.yaml": MANIFEST.replace('"a,b"', '"$(RULES)"')})
    assert started.args is None
    (none,) = found(**{"a.yaml": MANIFEST.replace('    args: ["--rules", "a,b"]\n', "")})
    assert none.args == ()


def test_a_blue_green_deployment_holds_its_spec_in_a_template() -> None:
    body = MANIFEST.partition("spec:\n")[2].replace("\n", "\n    ")
    head = "# flink.apache.org\nkind: FlinkBlueGreenDeployment\nmetadata: {name: o}\nspec:\n  template:\n    spec:\n"
    text = f"{head}    {body}"
    (started,) = found(**{"a.yaml": text})
    assert (started.kind, started.parallelism) == (DeploymentKind.BLUE_GREEN, 4)


def test_overlays_patch_their_base_and_only_they_are_deployed() -> None:
    merge = "kind: FlinkDeployment\nmetadata: {name: orders}\nspec: {job: {parallelism: 64, args: [--rules, c]}}\n"
    steps = "- {op: replace, path: /spec/job/parallelism, value: 2}\n- {op: add, path: /spec/job/args/-, value: x}\n"
    dev, prod = found(
        **{
            "k8s/base/orders.yaml": MANIFEST,
            "k8s/base/kustomization.yaml": "resources: [orders.yaml]\n",
            "k8s/overlays/prod/kustomization.yaml": "resources: [../../base]\npatches: [{path: more.yaml}]\n",
            "k8s/overlays/prod/more.yaml": merge,
            "k8s/overlays/dev/kustomization.yaml": "bases: [../../base]\npatches:\n- target: {kind: FlinkDeployment}\n"
            "  patch: |-\n    " + steps.replace("\n", "\n    "),
        }
    )
    assert (dev.target, dev.parallelism, dev.args) == ("dev", 2, ("--rules", "a,b", "x"))
    assert (prod.target, prod.parallelism, prod.args) == ("prod", 64, ("--rules", "c"))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("run.sh", "bin/flink run -d -p 8 -c com.acme.Orders \\\n  target/orders.jar --rules a,b && echo\n",
         ("com.acme.Orders", "orders.jar", 8, ("--rules", "a,b"))),
        ("Makefile", "up:\n\tflink run -Dpipeline.max-parallelism=64 orders.jar --topic $(TOPIC)\n",
         (None, "orders.jar", None, None)),
        ("Dockerfile", 'CMD ["flink", "run", "-p", "3", "/opt/orders.jar", "x"]\n', (None, "orders.jar", 3, ("x",))),
        ("compose.yaml", "services:\n  a:\n    command: flink run --class com.acme.Orders /jars/orders.jar\n",
         ("com.acme.Orders", "orders.jar", None, ())),
    ],
)  # fmt: skip
def test_flink_run_in_scripts(path: str, text: str, expected: tuple[object, ...]) -> None:
    (started,) = found(**{path: text})
    assert (started.main, started.jar, started.parallelism, started.args) == expected


def test_flink_run_of_a_script_passes_the_driver_s_options_by() -> None:
    (started,) = found(**{"run.sh": "flink run -py jobs/count.py -pyfs lib.zip --topic a\n"})
    assert (started.script, started.args) == ("jobs/count.py", ("--topic", "a"))


def test_words_that_only_mention_flink_run_are_no_command() -> None:
    assert found(**{"a.sh": "# how flink runs\necho 'the flink runtime'\nflink run\n"}) == ()


def test_a_deployment_runs_the_pipeline_of_its_entry_class_only() -> None:
    tree = files(**{"deploy/orders.yaml": MANIFEST})
    renamed = orders(name="Other", main="com.acme.Other", file="src/com/acme/Other.java")
    everything = (orders(), renamed)
    assert deployed_as(renamed, everything, deployments(tree), tree) == ()
    (started,) = deployed_as(orders(), everything, deployments(tree), tree)
    entry = with_deployment(orders(), started)
    assert (entry.args, entry.parallelism, entry.max_parallelism, entry.flink) == (("--rules", "a,b"), 4, 256, "1.20")
    assert entry.arguments_known
    assert with_deployment(orders(parallelism=9), started).parallelism == 9


def test_a_jar_without_a_class_is_the_one_program_of_its_module() -> None:
    manifest = MANIFEST.replace("    entryClass: com.acme.Orders\n", "")
    pom = "<project><parent><artifactId>all</artifactId></parent><artifactId>orders</artifactId></project>"
    tree = files(**{"d.yaml": manifest, "jobs/pom.xml": pom})
    mine, second = orders(file="jobs/src/Orders.java"), orders(name="Second", main="com.acme.S", file="jobs/src/S.java")
    assert len(deployed_as(mine, (mine,), deployments(tree), tree)) == 1
    assert deployed_as(mine, (mine, second), deployments(tree), tree) == ()


JOB = """package com.acme;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.api.java.utils.ParameterTool;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var numbers = env.fromSequence(0, 9);
    if (ParameterTool.fromArgs(args).has("filter")) numbers = numbers.filter(n -> n > 1);
    numbers.keyBy(n -> n % 2).reduce((a, b) -> a + b).print();
    env.execute();
  }
}
"""
POM = "<project><artifactId>orders</artifactId><properties><flink.version>1.20.1</flink.version></properties></project>"


COMPOSE = """\
services:
  jobmanager:
    image: flink:1.20
    command: standalone-job --job-classname com.acme.Orders -Dpipeline.max-parallelism=64 --rules ${RULES:-a,b}
    environment:
      REGION: eu
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        parallelism.default: 3
"""
SUBMITTING = """\
services:
  jobmanager:
    environment:
      - |
        FLINK_PROPERTIES=
        jobmanager.rpc.address: jobmanager
        parallelism.default: 2
  submit:
    entrypoint: ["/bin/bash", "-c"]
    environment: {PAR: "5"}
    command:
      - |
        sleep 5
        flink run -d -p $$PAR \\
          -c com.acme.Orders /opt/orders.jar --topic ${TOPIC}
"""
WORKLOAD = """\
apiVersion: batch/v1
kind: Job
metadata: {name: submit, namespace: prod}
spec:
  template:
    spec:
      containers:
        - name: submit
          env: [{name: REGION, value: eu}]
          command: [sh, -c]
          args:
            - >
              flink run
              -p 4
              -c com.acme.Orders
              /opt/orders.jar
"""


def test_a_service_that_is_one_job() -> None:
    (started,) = found(**{"compose.yaml": COMPOSE})
    assert (started.kind, started.main, started.args) == (
        DeploymentKind.STANDALONE,
        "com.acme.Orders",
        ("--rules", "a,b"),
    )
    assert dict(started.configuration)["parallelism.default"] == "3"
    assert dict(started.configuration)["pipeline.max-parallelism"] == "64"
    assert dict(started.environment)["REGION"] == "eu"
    assert started.assumed == ("RULES is not set where docker compose runs",)
    assert with_deployment(orders(), started).parallelism == 3
    (started,) = found(**{"compose.yaml": COMPOSE, ".env": "RULES=x\n"})
    assert (started.args, started.assumed) == (("--rules", "x"), ())


def test_a_service_without_a_class_is_the_only_program() -> None:
    (started,) = found(**{"compose.yaml": COMPOSE.replace("--job-classname com.acme.Orders ", "")})
    assert deployed_as(orders(), [orders()], [started], files()) == (started,)
    renamed = orders(name="Other", main="com.acme.Other")
    assert deployed_as(orders(), [orders(), renamed], [started], files()) == ()


def test_a_service_that_submits() -> None:
    (started,) = found(**{"docker-compose.dev.yml": SUBMITTING})
    assert (started.parallelism, started.main, started.args) == (5, "com.acme.Orders", None)


def test_a_workload_that_submits() -> None:
    (started,) = found(**{"k8s/submit.yaml": WORKLOAD})
    assert (started.parallelism, started.main, started.args, started.target) == (4, "com.acme.Orders", (), "prod")
    assert started.environment == (("REGION", "eu"),)


@pytest.mark.parametrize(
    ("script", "parallelism"),
    [
        ("P=6\nflink run -p $P -c com.acme.Orders o.jar\n", 6),
        ('export P="6"\nflink run -p "${P}" -c com.acme.Orders o.jar\n', 6),
        ("flink run -p ${P:-7} -c com.acme.Orders o.jar\n", 7),
        ("P=6\nP=8\nflink run -p $P -c com.acme.Orders o.jar\n", None),
        ("P=6\nif true; then\n  P=8\nfi\nflink run -p $P -c com.acme.Orders o.jar\n", None),
        ("P=$(nproc)\nflink run -p $P -c com.acme.Orders o.jar\n", None),
        ("flink run -p '$P' -c com.acme.Orders o.jar\n", None),
    ],
)
def test_variables_of_a_script(script: str, parallelism: int | None) -> None:
    (started,) = found(**{"run.sh": script})
    assert started.parallelism == parallelism


def test_a_start_in_a_shell_of_a_dockerfile() -> None:
    (started,) = found(
        Dockerfile='ENTRYPOINT ["/bin/bash", "-c", "/opt/flink/bin/flink run -d -p 2 /opt/orders-1.0.jar x"]\n'
    )
    assert (started.jar, started.parallelism, started.args) == ("orders-1.0.jar", 2, ("x",))


RUN = {"run.sh": "flink run -c com.acme.Orders o.jar\n"}


@pytest.mark.parametrize(
    ("texts", "parallelism"),
    [
        ({"conf/flink-conf.yaml": "parallelism.default: 4\njobmanager.rpc.port: 6123\n"}, 4),
        ({"conf/config.yaml": "parallelism:\n  default: 4\n"}, 4),
        ({"web/config.yaml": "title: x\n"}, None),
        ({"k.yaml": "kind: ConfigMap\ndata:\n  flink-conf.yaml: |\n    parallelism.default: 4\n"}, 4),
        ({"a/flink-conf.yaml": "parallelism.default: 4\n", "b/flink-conf.yaml": "parallelism.default: 5\n"}, None),
        ({"a/flink-conf.yaml": "parallelism.default: 4\n", "b/flink-conf.yaml": "rest.port: 1\n"}, None),
        ({"docker-compose.yml": SUBMITTING.partition("  submit:")[0]}, 2),
    ],
)
def test_the_cluster_s_configuration(texts: dict[str, str], parallelism: int | None) -> None:
    (started,) = found(**RUN, **texts)
    assert with_deployment(orders(), started).parallelism == parallelism
    assert (started.assumed != ()) is (parallelism is not None)


def test_the_cluster_s_configuration_without_a_start_is_only_assumed() -> None:
    tree = files(**{"conf/flink-conf.yaml": "parallelism.default: 4\n"})
    settings = parse_settings({"assume": ["defaults"]}, "here")
    (assumed,) = deployed_entries([orders(assume_defaults=True)], tree, settings)
    assert (assumed.parallelism, assumed.assumptions[-1]) == (4, "the cluster is configured by conf/flink-conf.yaml")
    (open_,) = deployed_entries([orders()], tree, parse_settings({}, "here"))
    assert (open_.parallelism, open_.deployment) == (None, None)


def test_variables_of_a_script_are_made_of_others_and_their_defaults() -> None:
    script = 'GROUP="orders${SUFFIX:-}"\nARGS="--group ${GROUP} --max ${MAX:-50}"\n'
    script += "flink run -c com.acme.Orders o.jar $ARGS\n"
    (started,) = found(**{"run.sh": script})
    assert started.args == ("--group", "orders", "--max", "50")
    assert started.assumed == ("SUFFIX is not set where run.sh runs", "MAX is not set where run.sh runs")
    (open_,) = found(**{"run.sh": script.replace("${SUFFIX:-}", "$SUFFIX")})
    assert open_.args is None


WORKFLOW = "on: %s\njobs:\n  j:\n    steps:\n    - run: %s\n    - run: flink run -c com.acme.Orders o.jar --rules a\n"


@pytest.mark.parametrize(
    ("path", "text", "counted"),
    [
        (".github/workflows/build.yml", WORKFLOW % ("push", "echo"), 1),
        (".github/workflows/build.yml", WORKFLOW % ("[push, pull_request]", "echo"), 0),
        (".github/workflows/build.yml", WORKFLOW % ("push", "./bin/start-cluster.sh"), 0),
        (".github/workflows/e2e-tests.yml", WORKFLOW % ("push", "echo"), 0),
        (".github/workflows/deploy.yml", WORKFLOW % ("pull_request", "docker compose up -d"), 1),
        ("ci/start.sh", "start-cluster.sh\nflink run -c com.acme.Orders o.jar --rules a\n", 1),
    ],
)
def test_a_workflow_that_tests_a_job_is_no_deployment_of_it(path: str, text: str, counted: int) -> None:
    assert len(found(**{path: text})) == counted


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("run.sh", 'docker exec jm bash -c "%s"'),
        ("run.sh", "ssh host '%s' && echo 'done'"),
        ("run.sh", 'echo "it\'s"; %s'),
        ("Jenkinsfile", "steps { sh '%s' } }"),
        (".gitlab-ci.yml", '    - "%s"'),
        (".github/workflows/deploy.yml", "    - run: '%s'  # now"),
    ],
)
def test_a_command_ends_with_the_quotes_that_it_stands_in(path: str, line: str) -> None:
    (started,) = found(**{path: line % "flink run -c com.acme.Orders o.jar --rules a" + "\n"})
    assert (started.main, started.args) == ("com.acme.Orders", ("--rules", "a"))
    quoted = 'flink run -c com.acme.Orders o.jar --rules \\"a b\\"'
    if '"%s"' in line:
        assert found(**{path: line % quoted + "\n"})[0].args == ("--rules", "a b")


@pytest.mark.parametrize(
    "line",
    ['echo "(%s)"', "@echo 'start it with %s'", "# %s", "x=1 # %s", 'printf "%s\\n"', "ls; echo %s", "- echo %s"],
)
def test_a_command_that_is_only_printed_starts_nothing(line: str) -> None:
    assert found(**{"run.sh": line % "flink run -c com.acme.Orders o.jar" + "\n"}) == ()


@pytest.mark.parametrize("line", ["echo start; %s", "echo start && %s", 'echo "%s" | bash', "curl http://h/#a && %s"])
def test_a_command_beside_a_printed_text_starts_its_program(line: str) -> None:
    (start,) = found(**{"run.sh": line % "flink run -c com.acme.Orders o.jar" + "\n"})
    assert start.main == "com.acme.Orders"


@pytest.mark.parametrize("argument", ["--job-class com.acme.Orders", "--job=com.acme.Orders", "com.acme.Orders"])
def test_an_argument_of_a_launcher_names_the_program(argument: str) -> None:
    entry, neighbour = orders(), orders(name="Other", main="com.acme.Other", file="src/com/acme/Other.java")
    sources = files(**{"run.sh": f"flink run -p 3 -c com.acme.Launcher o.jar {argument} --rules a\n"})
    (start,) = deployed_as(entry, (entry, neighbour), deployments(sources), sources)
    assert (start.parallelism, start.args) == (3, None)
    assert deployed_as(neighbour, (entry, neighbour), deployments(sources), sources) == ()


@pytest.mark.parametrize(
    "copy",
    [
        "kubectl cp orders/target/orders-1.0.jar \\\n  $(kubectl get pod -o jsonpath='{.items[0].name}'):/tmp/x.jar",
        "docker cp target/orders-1.0.jar jm:/opt/x.jar",
        "cp -f target/orders-1.0.jar usrlib/x.jar",
    ],
)
def test_a_jar_that_a_script_copies_is_the_module_s(copy: str) -> None:
    pom = "<project><artifactId>orders</artifactId></project>"
    sources = files(**{"pom.xml": pom, "run.sh": f"{copy}\nflink run -p 3 /tmp/x.jar --rules a\n"})
    entry = orders(file="src/main/java/com/acme/Orders.java")
    assert [d.parallelism for d in deployed_as(entry, (entry,), deployments(sources), sources)] == [3]


def test_every_job_of_a_program_is_deployed_with_it() -> None:
    first, second = orders(), orders(name="Orders #2", index=1)
    sources = files(**{"run.sh": "flink run -p 3 -c com.acme.Orders o.jar --rules a\n"})
    for entry in (first, second):
        (start,) = deployed_as(entry, (first, second), deployments(sources), sources)
        assert (start.parallelism, start.args) == (3, ("--rules", "a"))
