"""Jobs that Guice puts together: read as the plain program that does the same, or left open."""

from __future__ import annotations

import pytest

from checker.extract import registry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from checker.settings import Settings

IMPORTS = """package app;
import com.google.inject.*;
import com.google.inject.name.*;
import java.util.Properties;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
"""
JOB = """class Job { private final Naming naming; private final int n;
  @Inject Job(Naming naming, @Named("n") int n) { this.naming = naming; this.n = n; }
  void run() throws Exception { StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromData(1).keyBy(x -> x).reduce((a, b) -> a).uid(naming.uid() + n).print(); env.execute(); } }"""
NAMING = "interface Naming { String uid(); }"
PLAIN = 'class Plain implements Naming { public String uid() { return "orders"; } }'
NAMED = 'class FromName implements Naming { @Inject @Named("uid") String uid; public String uid() { return uid; } }'
MAIN = "public class App { public static void main(String[] args) throws Exception { %s } }"
GET = "Guice.createInjector(new AppModule()).getInstance(Job.class).run();"
N = 'bindConstant().annotatedWith(Names.named("n")).to(3);'


def module(body: str, more: str = "") -> str:
    return f"class AppModule extends AbstractModule {{ @Override protected void configure() {{ {body} }} {more} }}"


def uids(classes: dict[str, str]) -> set[str | None]:
    """The uids that the program gives; None for one that is not known. Empty where no job is found."""
    given = {"Job": JOB, "Naming": NAMING, "Plain": PLAIN, "FromName": NAMED, "App": MAIN % GET, **classes}
    files = MemoryFiles({f"src/main/java/app/{k}.java": (IMPORTS + v).encode() for k, v in given.items()})
    found: set[str | None] = set()
    for entry in registry.discover(files, Settings()).entries:
        read = registry.extract(files, entry)
        if read is not None and read.topology is not None:
            known = (t.uid for t in read.topology.transformations if t.uid is not None)
            found |= {None if isinstance(uid, Unknown) else uid for uid in known}
    return found


PLAINLY = "bind(Naming.class).to(Plain.class);"
READ = {
    "to a class": {"AppModule": module(f"{PLAINLY} {N}")},
    "to an instance": {"AppModule": module(f"bind(Naming.class).toInstance(new Plain()); {N}")},
    "a method that provides": {"AppModule": module(N, "@Provides Naming naming() { return new Plain(); }")},
    "one that needs another": {
        "AppModule": module(
            f'{N} bind(String.class).annotatedWith(Names.named("u")).toInstance("orders");',
            '@Provides @Singleton Naming naming(@Named("u") String u) { return () -> u; }',
        )
    },
    "a field": {
        "AppModule": module(
            f'bind(Naming.class).to(FromName.class); {N} bindConstant().annotatedWith(Names.named("uid")).to("orders");'
        )
    },
    "properties": {
        "AppModule": module(
            'Properties p = new Properties(); p.setProperty("uid", "orders"); p.setProperty("n", "3"); '
            "Names.bindProperties(binder(), p); bind(Naming.class).to(FromName.class);"
        )
    },
    "another module": {
        "AppModule": module("install(new Other());"),
        "Other": module(f"{PLAINLY.replace(';', '.in(Singleton.class);')} {N}").replace("AppModule", "Other"),
    },
    "two modules": {
        "AppModule": module(N),
        "Other": module(PLAINLY).replace("AppModule", "Other"),
        "App": MAIN % GET.replace("()).", "(), new Other())."),
    },
    "a lambda": {
        "App": MAIN
        % (
            "Module m = b -> { b.bind(Naming.class).to(Plain.class); "
            'b.bindConstant().annotatedWith(Names.named("n")).to(3); }; '
            "Guice.createInjector(m).getInstance(Job.class).run();"
        )
    },
    "an anonymous module": {
        "App": MAIN
        % GET.replace(
            "new AppModule()",
            module(f"{PLAINLY} {N}").replace("class AppModule extends AbstractModule", "new AbstractModule()"),
        )
    },
    "an anonymous module with what main knows": {
        "App": MAIN
        % (
            'String u = "or" + "ders"; '
            + GET.replace(
                "new AppModule()",
                "new AbstractModule() { protected void configure() { "
                + N
                + " } @Provides Naming naming() { return () -> u; } }",
            )
        )
    },
    "a class of providers": {
        "AppModule": module(f"bind(Naming.class).toProvider(Maker.class); {N}"),
        "Maker": "class Maker implements Provider<Naming> { @Inject Plain p; public Naming get() { return p; } }",
    },
    "an anonymous provider": {
        "AppModule": module(
            "bind(Naming.class).toProvider(new Provider<Naming>() { @Inject Plain p; "
            f"public Naming get() {{ return p; }} }}).in(Singleton.class); {N}"
        ),
    },
    "a lambda that provides": {"AppModule": module(f"bind(Naming.class).toProvider(() -> new Plain()); {N}")},
    "a constructor that provides": {"AppModule": module(f"bind(Naming.class).toProvider(Plain::new); {N}")},
    "members": {
        "AppModule": module(f"{PLAINLY} {N}"),
        "App": "public class App { @Inject Job job; public static void main(String[] a) throws Exception { "
        "App app = new App(); Guice.createInjector(new AppModule()).injectMembers(app); app.job.run(); } }",
    },
}


@pytest.mark.parametrize("name", READ)
def test_it_is_read_as_guice_makes_it(name: str) -> None:
    assert uids(READ[name]) == {"orders3"}


@pytest.mark.parametrize(
    "body",
    [
        f"bind(Naming.class).toProvider(P.class); {N}",
        f"bind(Naming.class).toProvider(() -> null); {N}",
        f"Multibinder.newSetBinder(binder(), Naming.class).addBinding().to(Plain.class); {N}",
        f"bind(Naming.class).to(Plain.class); bind(Naming.class).to(FromName.class); {N}",
        f"bindInterceptor(null, null); bind(Naming.class).to(Plain.class); {N}",
        N,
    ],
)
def test_what_is_not_certain_is_not_read(body: str) -> None:
    assert "orders3" not in uids({"AppModule": module(body)})
