"""Values that something fills in later, variables that are known to be unset, jars by other names, REST runs."""

from dataclasses import replace

import pytest

from checker.extract.deployments.discovery import deployments
from checker.extract.deployments.matching import deployed_as, with_deployment
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles

MANIFEST = """\
kind: FlinkDeployment
apiVersion: flink.apache.org/v1beta1
metadata: {name: orders}
spec:
  flinkConfiguration:
    parallelism.default: "7"
    containerized.master.env.REGION: eu
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - {name: TOPIC, value: orders}
            - {name: SECRET, valueFrom: {secretKeyRef: {name: s, key: k}}}
  job: {jarURI: "local:///opt/app.jar", entryClass: com.acme.Orders, parallelism: 4}
"""
CLUSTER = """\
services:
  jobmanager: {image: "flink:1.20", command: jobmanager, environment: [JOB_MANAGER_RPC_ADDRESS=jobmanager]}
  taskmanager: {command: taskmanager, environment: ["FLINK_PROPERTIES=taskmanager.numberOfTaskSlots: 2"]}
"""
RUN = "flink run -c com.acme.Orders o.jar\n"
POM = "<project><artifactId>shop</artifactId><mainClass>{}</mainClass></project>"


def files(**texts: str) -> MemoryFiles:
    return MemoryFiles({path: text.encode() for path, text in texts.items()})


def found(**texts: str) -> tuple[Deployment, ...]:
    return deployments(files(**texts))


def orders(main: str = "com.acme.Orders", **changed: object) -> PipelineEntry:
    file = f"src/main/java/{main.replace('.', '/')}.java"
    return PipelineEntry(name="Orders", extract=ExtractorKind.JAVA, main=main, file=file, **changed)  # type: ignore[arg-type]


def unset(entry: PipelineEntry, *names: str) -> list[bool]:
    return [entry.is_unset(name) for name in names]


def test_a_manifest_lists_all_variables_of_its_container() -> None:
    (started,) = found(**{"orders.yaml": MANIFEST, "Dockerfile": "FROM flink\nENV BAKED=1 \\\n  OTHER=2\nENV OLD x\n"})
    entry = with_deployment(orders(), started)
    assert dict(entry.environment)["REGION"] == "eu"
    assert unset(entry, "DEBUG") == [True]
    assert not any(unset(entry, "SECRET", "BAKED", "OTHER", "OLD", "JAVA_HOME"))
    assert "no environment variables but those in orders.yaml" in entry.assumptions
    assumed = replace(entry, assume_defaults=True)
    assert unset(assumed, "DEBUG", "SECRET", "BAKED") == [True, False, False]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("          env:\n", "          envFrom: [{secretRef: {name: s}}]\n          env:\n"),
        ('    parallelism.default: "7"\n', '    env.java.opts.jobmanager: "-DDEBUG=1"\n'),
    ],
)
def test_more_variables_may_be_set_from_elsewhere(before: str, after: str) -> None:
    (started,) = found(**{"orders.yaml": MANIFEST.replace(before, after)})
    assert unset(with_deployment(orders(), started), "DEBUG") == [False]


@pytest.mark.parametrize(
    "texts",
    [
        {"orders.yaml": MANIFEST.replace("parallelism: 4", 'parallelism: "${PARALLELISM}"')},
        {"run.sh": RUN.replace("-c", "-p $P -c"), "conf/flink-conf.yaml": "parallelism.default: 4\n"},
        {
            "run.sh": RUN.replace("-c", "-Dparallelism.default=$P -c"),
            "conf/flink-conf.yaml": "parallelism.default: 4\n",
        },
        {"run.sh": RUN, "k.yaml": "kind: ConfigMap\ndata:\n  flink-conf.yaml: |\n    parallelism.default: ${P}\n"},
    ],
)
def test_a_parallelism_that_is_filled_in_later_is_no_other_one(texts: dict[str, str]) -> None:
    (started,) = found(**texts)
    assert with_deployment(orders(), started).parallelism is None


def test_nor_is_it_assumed_to_be_the_default() -> None:
    (started,) = found(**{"run.sh": RUN.replace("-c", "-p $P -c")})
    entry = with_deployment(orders(assume_defaults=True), started)
    assert (entry.default_parallelism, "default parallelism 1" in entry.assumptions) == (None, False)


def test_an_export_without_a_known_value_is_set() -> None:
    (started,) = found(**{"run.sh": f"export REGION=$(region)\n{RUN}"})
    assert unset(with_deployment(orders(assume_defaults=True), started), "REGION", "OTHER") == [False, True]


@pytest.mark.parametrize(
    ("cluster", "parallelism"),
    [
        (CLUSTER, 1),
        (CLUSTER.replace("=jobmanager]", '=jobmanager, "FLINK_PROPERTIES=parallelism.default: 3"]'), 3),
        (CLUSTER.replace("=jobmanager]", '=jobmanager, "FLINK_PROPERTIES=parallelism.default: $P"]'), None),
        ("services:\n  jobmanager: {image: web}\n", None),
    ],
)
def test_a_job_manager_in_the_repository_is_the_cluster(cluster: str, parallelism: int | None) -> None:
    (started,) = found(**{"run.sh": RUN, "docker-compose.yml": cluster})
    assert with_deployment(orders(), started).parallelism == parallelism
    assert started.assumed == (("the cluster is configured by docker-compose.yml",) if parallelism else ())


@pytest.mark.parametrize(("properties", "parallelism"), [("", 4), ("taskmanager.numberOfTaskSlots: 2", None)])
def test_a_configuration_elsewhere_may_be_mounted(properties: str, parallelism: int | None) -> None:
    given = f'environment: ["FLINK_PROPERTIES={properties}"]' if properties else "volumes: [./conf:/opt/flink/conf]"
    job = f"services:\n  job: {{command: standalone-job -j com.acme.Orders, {given}}}\n"
    (started,) = found(**{"docker-compose.yml": job, "conf/flink-conf.yaml": "parallelism.default: 4\n"})
    assert with_deployment(orders(), started).parallelism == parallelism


@pytest.mark.parametrize(
    "options",
    ["-p4 -c com.acme.Orders", "--parallelism=4 --class=com.acme.Orders", "-m=jm:8081 -p=4 -c com.acme.Orders"],
)
def test_options_and_their_values_may_be_one_word(options: str) -> None:
    (started,) = found(**{"run.sh": f"flink run --detached {options} --jobmanager=jm:8081 o.jar x\n"})
    assert (started.parallelism, started.main, started.jar, started.args) == (4, "com.acme.Orders", "o.jar", ("x",))


def test_a_session_job_runs_in_the_cluster_of_its_namespace() -> None:
    cluster = "kind: FlinkDeployment\nmetadata: {{name: c, namespace: {0}}}\nspec: {{flinkVersion: v1_{1}}}\n"
    job = MANIFEST.replace("kind: FlinkDeployment", "kind: FlinkSessionJob").replace(
        "spec:\n", "spec:\n  deploymentName: c\n", 1
    )
    texts = [
        cluster.format("a", 19),
        cluster.format("b", 20),
        job.replace("{name: orders}", "{name: orders, namespace: b}"),
    ]
    (started,) = found(**{"all.yaml": "---\n".join(texts)})
    assert (started.flink, started.cluster) == ("1.20", "c")


REST = 'curl -sf -X POST "$URL/jars/$ID/run{}" \\\n  -H "Content-Type: application/json" \\\n  -d {}\n'


@pytest.mark.parametrize(
    "text",
    [
        REST.format("", '\'{"entryClass": "com.acme.Orders", "parallelism": 3}\''),
        REST.format("", r'"{\"entryClass\":\"com.acme.Orders\",\"programArgs\":\"--a b\",\"parallelism\":${P:-2}}"'),
        REST.format("?entry-class=com.acme.Orders&parallelism=5", "''"),
    ],
)
def test_a_jar_that_is_run_through_the_rest_api(text: str) -> None:
    """The program that it runs is known, and nothing of what it is given."""
    (started,) = found(**{"run.sh": f"# starts flink\n{text}", "docker-compose.yml": "x: 1\n"})
    assert (started.kind, started.main, started.location.line) == (DeploymentKind.REST, "com.acme.Orders", 2)
    assert (started.parallelism, started.args) == (None, None)


def test_a_run_that_names_no_class_is_none() -> None:
    assert found(**{"run.sh": "# flink\n" + REST.format("", "'{}'")}) == ()


@pytest.mark.parametrize(
    ("jar", "image", "mains", "runs"),
    [
        ("shop.jar", "", ["com.acme.Orders"], True),
        ("app.jar", "", ["com.acme.Orders"], False),
        ("app.jar", "COPY --from=build /src/target/shop-1.0.jar /opt/app.jar\n", ["com.acme.Orders"], True),
        ("app.jar", "COPY target/*.jar /opt/app.jar\n", ["com.acme.Orders"], True),
        ("app.jar", "COPY target/other-1.0.jar /opt/app.jar\n", ["com.acme.Orders"], False),
        ("app.jar", 'ADD ["target/shop*.jar", "/opt/app.jar"]\n', ["com.acme.Orders"], True),
        ("shop.jar", "", ["com.acme.Orders", "com.acme.Clicks"], True),
    ],
)
def test_a_jar_without_a_class_runs_what_its_module_declares(
    jar: str, image: str, mains: list[str], runs: bool
) -> None:
    tree = files(**{
        "pom.xml": POM.format("com.acme.Orders"),
        "Dockerfile": f"FROM flink\n{image}",
        "run.sh": f"flink run /opt/{jar}\n",
    })  # fmt: skip
    entries = [orders(main) for main in mains]
    (started,) = (d for d in deployments(tree) if d.location.file == "run.sh")
    assert [bool(deployed_as(e, entries, (started,), tree)) for e in entries] == [runs, *[False for _ in mains[1:]]]


OVERLAY = "resources: [../base, c.yaml]\n"
COMPONENT = """\
patches:
  - target: {kind: FlinkDeployment}
    patch: "[{op: replace, path: /spec/job/parallelism, value: 9}]"
"""
REPLACEMENT = """\
replacements:
  - source: {kind: ConfigMap, name: c, fieldPath: data.size}
    targets: [{select: {kind: FlinkDeployment}, fieldPaths: [spec.job.parallelism]}]
"""


@pytest.mark.parametrize(
    ("overlay", "more", "parallelism"),
    [
        ("components: [../more]\n", COMPONENT, 9),
        (REPLACEMENT, "", None),
        (REPLACEMENT.replace("fieldPaths", "options: {index: 0}, fieldPaths"), "", None),
        ("replacements: [{path: r.yaml}]\n", "", None),
    ],
)
def test_components_and_replacements_of_kustomize(overlay: str, more: str, parallelism: int | None) -> None:
    texts = {
        "base/kustomization.yaml": "resources: [o.yaml]\n",
        "base/o.yaml": MANIFEST,
        "prod/kustomization.yaml": OVERLAY + overlay,
        "prod/c.yaml": "kind: ConfigMap\nmetadata: {name: c}\ndata: {size: 6}\n",
        "prod/r.yaml": REPLACEMENT.replace("replacements:\n", ""),
        "more/kustomization.yaml": more,
    }
    (started,) = found(**{path: text for path, text in texts.items() if text})
    assert with_deployment(orders(), started).parallelism == parallelism
    assert ("more/kustomization.yaml" in started.files) is bool(more)


def test_docker_compose_puts_its_override_on_top() -> None:
    own = "services:\n  job:\n    command: standalone-job -j com.acme.Orders\n    environment: {A: a, B: b}\n"
    above = "services:\n  job:\n    environment: [B=c, D]\n  web: {image: x}\n"
    (started,) = found(**{"compose.yaml": own, "compose.override.yaml": above})
    assert (dict(started.environment), started.filled_later) == ({"A": "a", "B": "c"}, ("D",))
    assert started.files == ("compose.yaml", "compose.override.yaml")


def test_several_jobs_of_one_program_in_one_environment() -> None:
    eu, us = (
        MANIFEST.replace("name: orders", f"name: {n}").replace("value: orders", f"value: {n}") for n in ("eu", "us")
    )
    several = found(**{"k.yaml": f"{eu}---\n{us}---\n{eu}"})
    runs = deployed_as(orders(), [orders()], several, files())
    assert [(d.target, dict(d.environment)["TOPIC"]) for d in runs] == [("eu", "eu"), ("us", "us")]
    script = found(
        **{"run.sh": f"{RUN}flink run -s x -c com.acme.Orders o.jar\nflink run -c com.acme.Orders o.jar x\n"}
    )
    runs = deployed_as(orders(), [orders()], script, files())
    assert [(d.target, d.args) for d in runs] == [("run.sh #1", ()), ("run.sh #2", ("x",))]
