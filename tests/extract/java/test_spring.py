"""Jobs that Spring's container puts together: read as the plain program that does the same, or not and why."""

from __future__ import annotations

import pytest

from checker.extract import registry
from checker.flink import translate
from checker.model.sources import MemoryFiles
from checker.settings import Overrides, Settings

IMPORTS = """package app;
import java.util.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.springframework.beans.factory.annotation.*;
import org.springframework.boot.*;
import org.springframework.boot.autoconfigure.*;
import org.springframework.boot.context.event.*;
import org.springframework.context.*;
import org.springframework.context.annotation.*;
import org.springframework.context.event.*;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.*;
import javax.annotation.PostConstruct;
import lombok.*;
"""
MAIN = "@SpringBootApplication public class App { public static void main(String[] args) throws Exception { %s } }"
RUN = MAIN % "SpringApplication.run(App.class);"
WITH_ARGUMENTS = MAIN % "SpringApplication.run(App.class, args);"
GRAPH = 'env.setParallelism(2); env.fromData(1).keyBy(x -> x).reduce((a, b) -> a).uid(%s).name("n").print();'
BUILD = f"var env = StreamExecutionEnvironment.getExecutionEnvironment(); {GRAPH} env.execute();"
BEAN = (
    "@Configuration class Flink { @Bean StreamExecutionEnvironment env() "
    "{ return StreamExecutionEnvironment.getExecutionEnvironment(); } }"
)
JOB = (
    "@Component class Job { void build(StreamExecutionEnvironment env) throws Exception { "
    + GRAPH % '"orders"'
    + " } }"
)
Classes = dict[str, str]


def files(classes: Classes, **resources: str) -> MemoryFiles:
    found = {f"src/main/java/app/{name}.java": IMPORTS + code for name, code in classes.items()}
    found |= {f"src/main/resources/{name}": text for name, text in resources.items()}
    return MemoryFiles({path: text.encode() for path, text in found.items()})


def read(classes: Classes, resources: dict[str, str] | None = None, **settings: object) -> list[str] | str:
    """Ids of the program's operators, or why there are none."""
    revision = files(classes, **(resources or {}))
    given = Settings().overridden(Overrides(**settings)) if settings else Settings()
    entries = [e for e in registry.discover(revision, given).entries if e.index == 0]
    assert [entry.name for entry in entries] == ["App"]
    found = registry.extract(revision, entries[0])
    assert found is not None
    if found.topology is None:
        return found.failure or ""
    return sorted(str(identity.generated) for identity in translate(found.topology).identities)


def component(name: str, body: str, head: str = "@Component") -> Classes:
    return {name: f"{head} class {name} {body}"}


def value(annotation: str, kind: str = "String") -> Classes:
    return component(
        "Run", f"implements CommandLineRunner {{ {annotation} private {kind} uid; "
        f'public void run(String... args) throws Exception {{ {BUILD % "uid"} }} }}',
    )  # fmt: skip


PLAIN = {"App": MAIN.replace("@SpringBootApplication", "") % (BUILD % '"orders"')}
RUNNER = value('@Value("orders")')
READ: dict[str, tuple[Classes, dict[str, str]]] = {
    "a runner": (component("Run", "implements CommandLineRunner { public void run(String... a) throws Exception { "
                           + BUILD % '"orders"' + " } }"), {}),
    "an application runner": (component("Run", "implements ApplicationRunner { public void run(ApplicationArguments a) "
                                        "throws Exception { " + BUILD % '"orders"' + " } }"), {}),
    "after construction": (component("Run", "{ @PostConstruct void go() throws Exception { "
                                     + BUILD % '"orders"' + " } }"), {}),
    "a listener": (component("Run", "{ @EventListener(ApplicationReadyEvent.class) public void go() throws Exception { "
                             + BUILD % '"orders"' + " } }"), {}),
    "a listener by parameter": (component("Run", "{ @EventListener public void go(ContextRefreshedEvent e) throws "
                                          "Exception { " + BUILD % '"orders"' + " } }"), {}),
    "a lambda": ({"Flink": "@Configuration class Flink { @Bean CommandLineRunner go() { return args -> { "
                  + BUILD % '"orders"' + " }; } }"}, {}),
    "constructor": ({"Flink": BEAN, "Job": JOB} | component("Run", "implements CommandLineRunner { private final "
                    "StreamExecutionEnvironment e; private final Job job; Run(StreamExecutionEnvironment e, Job job) "
                    "{ this.e = e; this.job = job; } public void run(String... a) throws Exception "
                    "{ job.build(e); e.execute(); } }"), {}),
    "lombok": ({"Flink": BEAN, "Job": JOB} | component("Run", "implements CommandLineRunner { private final "
               "StreamExecutionEnvironment e; private final List<Job> jobs; public void run(String... a) throws "
               "Exception { for (Job job : jobs) job.build(e); e.execute(); } }", "@Service @RequiredArgsConstructor"),
               {}),
    "fields": ({"Flink": BEAN, "Job": JOB} | component("Run", "implements CommandLineRunner { @Autowired private Job "
               "job; @Autowired private StreamExecutionEnvironment e; public void run(String... a) throws Exception "
               "{ job.build(e); e.execute(); } }"), {}),
    "a parameter of a bean": ({"Flink": "@Configuration class Flink { @Bean StreamExecutionEnvironment env() { return "
                              "StreamExecutionEnvironment.getExecutionEnvironment(); } @Bean CommandLineRunner go("
                              "StreamExecutionEnvironment env) { return a -> { " + GRAPH % '"orders"'
                              + " env.execute(); }; } }"}, {}),
    "yaml": (value('@Value("${job.uid}")'), {"application.yml": "job:\n  uid: orders\n"}),
    "properties before yaml": (value('@Value("${job.uid}")'), {"application.yml": "job:\n  uid: sales\n",
                               "application.properties": "job.uid=orders\n"}),
    "a default": (value('@Value("${job.uid:orders}")'), {}),
    "an alias": (value('@Value("${job.uid}")'), {"application.yml": "a: &a\n  uid: orders\nb: *a\njob: *a\n"}),
    "a merge": (value('@Value("${job.uid}")'),
                {"application.yml": "a: &a {uid: sales, n: 1}\nb: &b {uid: orders}\njob:\n  <<: [*b, *a]\n"}),
    "a merge below own keys": (value('@Value("${job.uid}")'),
                               {"application.yml": "a: &a {uid: sales}\njob:\n  uid: orders\n  <<: *a\n"}),
    "relaxed names": (value('@Value("${job.my-uid}")'), {"application.yml": "job:\n  myUid: orders\n"}),
    "a place in a value": (value('@Value("${job.uid}")'), {"application.properties": "job.uid=or${x}\nx=ders\n"}),
    "the environment": (component("Run", "implements CommandLineRunner { @Autowired Environment e; public void run("
                        "String... a) throws Exception { " + BUILD % 'e.getProperty("job.uid", "x")' + " } }"),
                        {"application.yml": "job: {uid: orders}\n"}),
    "on a property": (component("Run", "implements CommandLineRunner { public void run(String... a) throws Exception { "
                      + BUILD % '"orders"' + " } }",
                      '@Component @org.springframework.boot.autoconfigure.condition.ConditionalOnProperty("go")'),
                      {"application.yml": "go: true\n"}),
    "primary": ({"Flink": BEAN, "Job": JOB.replace("@Component", "@Primary @Component"), "Other": JOB.replace(
                "class Job", "class Other extends Job").replace("orders", "sales")} | component(
                "Run", "implements CommandLineRunner { @Autowired Job it; @Autowired StreamExecutionEnvironment e; "
                "public void run(String... a) throws Exception { it.build(e); e.execute(); } }"), {}),
    "order": ({"Flink": BEAN, "First": "@Order(1) @Component class First implements CommandLineRunner { @Autowired "
              "StreamExecutionEnvironment env; public void run(String... a) { " + GRAPH % '"orders"' + " } }",
              "Alast": "@Order(2) @Component class Alast implements CommandLineRunner { @Autowired "
              "StreamExecutionEnvironment env; public void run(String... a) throws Exception { env.execute(); } }"},
              {}),
}  # fmt: skip
PROPERTIES = "@org.springframework.boot.context.properties.ConfigurationProperties"
BOUND = {"application.yml": "job:\n  my-uid: orders\n  n: 3\n  inner:\n    uid: orders\n  uids: [orders, x]\n"}


def bound(props: str, uid: str) -> tuple[Classes, dict[str, str]]:
    runner = (
        "implements CommandLineRunner { private final Props p; Run(Props p) { this.p = p; } "
        f"public void run(String... a) throws Exception {{ {BUILD % uid} }} }}"
    )
    return {"Props": props.replace("@Bound", f'{PROPERTIES}("job")')} | component("Run", runner), BOUND


READ |= {
    "a setter": bound("@Bound @Component class Props { String u, myUid; String u() { return u; } "
                      "public void setMyUid(String given) { u = given.toLowerCase(); } }", "p.u()"),
    "lombok's setters": bound('@Data @Component @Bound class Props { String myUid = "x"; int n; }', "p.getMyUid()"),
    "nothing set": bound('@Data @Component @Bound class Props { String other = "orders"; }', "p.getOther()"),
    "a record": bound("@Bound record Props(String myUid, int n, int missing) { }",
                      'p.myUid() + (p.missing() == 0 && p.n() == 3 ? "" : "no")'),
    "a record inside": bound("@Bound record Props(Inner inner) { record Inner(String uid) { } }", "p.inner().uid()"),
    "an object inside": bound("@Data @Component @Bound class Props { final Inner inner = new Inner(); @Data static "
                              "class Inner { String uid; } }", "p.getInner().getUid()"),
    "a new object inside": bound("@Data @Component @Bound class Props { Inner inner; @Data static class Inner { String "
                                 "uid; } }", "p.getInner().getUid()"),
    "a list": bound("@Data @Component @Bound class Props { List<String> uids; }", "p.getUids().get(0)"),
    "a constructor": bound("@Bound class Props { final String u; Props(String myUid) { u = myUid; } }", "p.u"),
    "lombok's constructor": bound("@Getter @RequiredArgsConstructor @ConstructorBinding @Bound class Props { private "
                                  "final String myUid; private final int n; private final String missing; }",
                                  'p.getMyUid() + (p.getMissing() == null && p.getN() == 3 ? "" : "no")'),
    "all arguments": bound("@Getter @AllArgsConstructor @Bound class Props { private String myUid; private int n; }",
                           "p.getMyUid()"),
    "a value": bound("@Value @Bound class Props { String myUid; int n; }", "p.getMyUid()"),
    "final fields": bound("@Data @Bound class Props { private final String myUid; }", "p.getMyUid()"),
    "constructors inside": bound("@Value @Bound class Props { Inner inner; @Value static class Inner { String uid; } }",
                                 "p.getInner().getUid()"),
    "bound to a bean": (bound("@Data class Props { String myUid; }", "p.getMyUid()")[0] | {"Conf": "@Configuration "
                        f'class Conf {{ @Bean {PROPERTIES}("job") Props props() {{ return new Props(); }} }}'}, BOUND),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_it_is_read_as_the_plain_program(name: str) -> None:
    classes, resources = READ[name]
    expected = read(PLAIN)
    assert isinstance(expected, list)
    assert read({"App": RUN, **classes}, resources) == expected


def test_a_context_is_asked_for_beans() -> None:
    main = "ApplicationContext c = SpringApplication.run(App.class); c.getBean(Run.class).go(); c.getBean(Run.class);"
    classes = {"App": MAIN % main} | component("Run", "{ void go() throws Exception { " + BUILD % '"orders"' + " } }")
    assert read(classes) == read(PLAIN)


def test_a_container_that_starts_no_job_leaves_the_program_alone() -> None:
    main = "SpringApplication.run(App.class); " + BUILD % '"orders"'
    classes = {"App": MAIN.replace("@Spring", "@ImportResource @Spring") % main}
    classes |= component("Web", "{ @Scope org.apache.flink.api.common.functions.MapFunction f; }", "@RestController")
    assert read(classes) == read(PLAIN)


LISTED = "implements CommandLineRunner { @Autowired List<Job> jobs; @Autowired StreamExecutionEnvironment e; "
TWO = {
    "Flink": BEAN,
    "Job": JOB,
    "Other": JOB.replace("class Job", "class Other extends Job").replace("orders", "sales"),
}
NOTHING = "public void run(String... a) { } }"
OPEN: dict[str, tuple[Classes, dict[str, str], str]] = {
    "two of one type": (TWO | component("Run", "implements CommandLineRunner { @Autowired Job it; " + NOTHING),
                        {}, "several beans are a Job: job, other"),
    "a profile": (component("Run", "implements CommandLineRunner { public void run(String... a) throws Exception { "
                  + BUILD % '"orders"' + " } }", '@Profile("prod") @Component'), {}, "a profile or condition"),
    "no environment": ({"Flink": BEAN.replace("@Bean", "")} | component("Run", "implements CommandLineRunner { "
                       "@Autowired StreamExecutionEnvironment e; " + NOTHING), {}, "no bean of the program is"),
    "an import": ({"Flink": "@Import(Other.class) @Configuration class Flink { StreamExecutionEnvironment e; }"},
                  {}, "brings beans"),
    "an annotation of the program": ({"Mine": "@Component @interface Mine { }"} | component(
                                     "Run", "{ @PostConstruct void go() throws Exception { " + BUILD % '"x"' + " } }",
                                     "@Mine"), {}, "annotation of the program"),
    "a name that is no text": (component("Run", "{ @PostConstruct void go() throws Exception { " + BUILD % '"x"' + "}}",
                               "@Component(Names.RUN)"), {},
                               "'Names.RUN' in an annotation is no plain text (src/main/java/app/Run.java:"),
    "two beans of one name": (component("A", "{ }", '@Component("a")') | component("B", "{ @PostConstruct void go() "
                              "throws Exception { " + BUILD % '"x"' + " } }", '@Component("a")'), {},
                              "two beans are called 'a' (src/main/java/app/A.java:"),
    "a prototype": (component("Run", "implements CommandLineRunner { public void run(String... a) throws Exception { "
                    + BUILD % '"orders"' + " } }", '@Scope("prototype") @Component'), {}, "a profile or condition"),
}  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
def test_what_is_not_certain_is_not_read(name: str) -> None:
    classes, resources, reason = OPEN[name]
    found = read({"App": RUN, **classes}, resources)
    assert isinstance(found, str)
    assert reason in found


@pytest.mark.parametrize(
    ("main", "resources", "settings", "certain"),
    [
        (RUN, {"application.yml": "job:\n  uid: orders\n"}, {}, True),
        (WITH_ARGUMENTS, {"application.yml": "job:\n  uid: orders\n"}, {}, False),
        (WITH_ARGUMENTS, {"application.yml": "job:\n  uid: orders\n"}, {"assume_defaults": True}, True),
        (RUN, {"application.yml": "job:\n  uid: a\n", "application-prod.yml": "job:\n  uid: b\n"}, {}, False),
        (RUN, {"application.yml": "job:\n  uid: a\n---\njob:\n  uid: b\n"}, {}, False),
        (RUN, {"application.yml": "job:\n  uid: '@version@'\n"}, {}, False),
        (RUN, {"application.yml": "job:\n  uid: '#{1 + 1}'\n"}, {}, False),
        (RUN, {}, {}, False),
        (RUN, {}, {"values": (("job.uid", "orders"),)}, True),
    ],
)
def test_which_values_are_known(
    main: str, resources: dict[str, str], settings: dict[str, object], certain: bool
) -> None:
    revision = files({"App": main} | value('@Value("${job.uid}")'), **resources)
    entries = registry.discover(revision, Settings().overridden(Overrides(**settings))).entries  # type: ignore[arg-type]
    found = registry.extract(revision, entries[0])
    assert found is not None
    assert found.topology is not None
    uids = [t.uid for t in found.topology.transformations if t.name == "n"]
    assert [isinstance(uid, str) for uid in uids] == [certain]


def test_the_order_of_a_list_of_beans_is_not_known() -> None:
    go = "public void run(String... a) throws Exception { for (Job job : jobs) job.build(e); e.execute(); } }"
    revision = files({"App": RUN, **TWO} | component("Run", LISTED + go))
    found = registry.extract(revision, registry.discover(revision, Settings()).entries[0])
    assert found is not None
    assert found.topology is not None
    assert "order in which Spring finds the beans" in str(found.topology)


def test_two_runners_without_an_order_execute_their_jobs_in_one_that_is_not_known() -> None:
    run = "public void run(String... a) throws Exception { %s } }"
    classes = {name: f"@Component class {name} implements CommandLineRunner {{ {run % BUILD % name}" for name in "AB"}
    revision = files({"App": RUN, **{k: v.replace(f"uid({k})", f'uid("{k}")') for k, v in classes.items()}})
    found = [registry.extract(revision, entry) for entry in registry.discover(revision, Settings()).entries]
    assert len(found) == 2
    assert all(found_value is not None and "in an unknown order" in str(found_value) for found_value in found)
