"""What library code outside of the repository may have done is unknown; what it only reads stays certain."""

import pytest

from checker.extract import java
from checker.flink.translate import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from checker.model.unknowns import Unknown

HEAD = """
import java.io.*;
import java.util.*;
import static java.util.stream.Collectors.toList;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.*;
public class Job { public static void main(String[] args) throws Exception {
StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
DataStream<Long> s = env.fromSequence(1, 2);
"""


def read(body: str, args: tuple[str, ...] | None = (), rest: str = "", **resources: str) -> Translation:
    files = {"job/src/main/java/Job.java": f"{HEAD}{body}\nenv.execute(); }} {rest} }}".encode()}
    for name, content in resources.items():
        files[f"job/src/main/resources/{name}.properties"] = content.encode()
    entry = PipelineEntry(
        name="job",
        extract=ExtractorKind.JAVA,
        main="Job",
        args=args or (),
        discovered=args is None,
        parallelism=4,
        flink="1.20",
    )
    return translate(java.extract(MemoryFiles(files), entry))


def uids(translation: Translation) -> list[str | None]:
    assert translation.certain, [u.unknown.reason for u in translation.undecided]
    assert translation.stream_graph is not None
    return [node.uid for node in translation.stream_graph.nodes if isinstance(node.uid, str)]


@pytest.mark.parametrize(
    "body",
    [
        'Properties p = new Properties(); p.load(new java.io.FileInputStream("x")); if (p.containsKey("x"))',
        'Map<String, String> m = new HashMap<>(); m.putAll(System.getenv()); if (m.containsKey("x"))',
        "List<String> l = new ArrayList<>(); com.other.Lib.fill(l); if (!l.isEmpty())",
        "List<String> l = new ArrayList<>(); new com.other.Lib(l); if (!l.isEmpty())",
        "List<String> l = new ArrayList<>(); com.other.Lib lib = com.other.Lib.get(); lib.fill(l); if (!l.isEmpty())",
    ],
)
def test_content_that_library_code_gave_is_not_known(body: str) -> None:
    assert not read(f"{body} {{ s = s.map(x -> x); }} s.print();").certain


@pytest.mark.parametrize(
    "body",
    [
        'List<String> l = new ArrayList<>(); org.slf4j.LoggerFactory.getLogger("x").info("{}", l); if (l.isEmpty())',
        'List<String> l = Arrays.asList("a"); System.out.println(l); if (l.size() == 1)',
        "Map<String, String> m = new HashMap<>(); Objects.requireNonNull(m); if (m.isEmpty())",
    ],
)
def test_what_is_only_read_stays_certain(body: str) -> None:
    assert uids(read(f'{body} {{ s = s.map(x -> x).uid("kept"); }} s.print();')) == ["kept"]


OPTIONS = 'static class Options { @Parameter(names = "--x") boolean x = false; boolean y = true; }'


def test_options_that_a_command_line_library_fills_are_arguments() -> None:
    body = "Options o = new Options(); new com.beust.jcommander.JCommander(o).parse(args); if (o.x)"
    program = f'{body} {{ s = s.map(x -> x).uid("x"); }} s.print();'
    assert uids(read(program, ("--x",), OPTIONS)) == ["x"]
    assert uids(read(program, (), OPTIONS)) == []
    assert not read(program, None, OPTIONS).certain


def test_fields_that_no_library_fills_stay_certain() -> None:
    body = "Options o = new Options(); new com.beust.jcommander.JCommander(o).parse(args); if (o.y)"
    assert uids(read(f'{body} {{ s = s.map(x -> x).uid("y"); }} s.print();', ("--x",), OPTIONS)) == ["y"]


PROPERTIES = "# comment\nuid = from-file\nlong=a\\\n   b\nesc\\=aped:x\\u0041\n"


@pytest.mark.parametrize(
    "opened",
    [
        'Job.class.getResourceAsStream("/job.properties")',
        'Job.class.getClassLoader().getResourceAsStream("job.properties")',
        'Thread.currentThread().getContextClassLoader().getResourceAsStream("job.properties")',
        'ClassLoader.getSystemResourceAsStream("job.properties")',
    ],
)
def test_properties_on_the_class_path_are_read_from_the_module(opened: str) -> None:
    body = f'Properties p = new Properties(); p.load({opened}); s.map(x -> x).uid(p.getProperty("uid")).print();'
    assert uids(read(body, job=PROPERTIES)) == ["from-file"]
    tool = f"ParameterTool p = ParameterTool.fromPropertiesFile({opened});"
    assert uids(read(f'{tool} s.map(x -> x).uid(p.get("uid")).print();', job=PROPERTIES)) == ["from-file"]


@pytest.mark.parametrize(
    ("charset", "content", "known"),
    [
        ("", "a;b", True),
        ("", "ä;b", False),
        (", java.nio.charset.StandardCharsets.UTF_8", "ä;b", True),
        (', "UTF-8"', "ä;b", True),
        (', "ISO-8859-1"', "ä;b", False),
    ],
)
def test_the_text_of_a_resource_is_known_where_its_encoding_is(charset: str, content: str, known: bool) -> None:
    stream = 'Job.class.getClassLoader().getResourceAsStream("job.properties").readAllBytes()'
    body = f'for (String part : new String({stream}{charset}).split(";")) {{ s.map(x -> x).uid(part).print(); }}'
    translation = read(body, job=content)
    assert translation.certain == known
    assert not known or uids(translation) == content.split(";")


IN_UTF_8 = "java.nio.charset.StandardCharsets.UTF_8"
STREAM = 'Job.class.getResourceAsStream("/job.properties")'


@pytest.mark.parametrize(
    ("parts", "known"),
    [
        (f'Arrays.asList(org.apache.commons.io.IOUtils.toString({STREAM}, {IN_UTF_8}).split("\\n"))', True),
        (f"new BufferedReader(new InputStreamReader({STREAM}, {IN_UTF_8})).lines().collect(toList())", False),
        ('java.nio.file.Files.readAllLines(java.nio.file.Paths.get("../job.properties"))', False),
    ],
)
def test_the_lines_of_a_resource_are_known_where_its_encoding_is(parts: str, known: bool) -> None:
    translation = read(f"for (String part : {parts}) {{ s.map(x -> x).uid(part).print(); }}", job="ä\nb\n")
    assert translation.certain == known
    assert not known or uids(translation) == ["ä", "b"]


@pytest.mark.parametrize(
    "text",
    [
        'java.nio.file.Files.readString(java.nio.file.Path.of("sql/job.sql"))',
        'new String(java.nio.file.Files.readAllBytes(new java.io.File("sql/job.sql").toPath()))',
        'java.nio.file.Files.lines(java.nio.file.Paths.get("sql", "job.sql")).findFirst().get()',
    ],
)
def test_a_file_that_is_read_by_its_name_is_the_repositorys(text: str) -> None:
    body = f"{HEAD}s.map(x -> x).uid({text}).print();\nenv.execute(); }} }}"
    files = MemoryFiles({"src/main/java/Job.java": body.encode(), "sql/job.sql": b"totals"})
    for assumed in (False, True):
        entry = PipelineEntry(
            name="job", extract=ExtractorKind.JAVA, file="src/main/java/Job.java", main="Job", parallelism=4,
            flink="1.20", assume_defaults=assumed,
        )  # fmt: skip
        translation = translate(java.extract(files, entry))
        known = "Paths.get(" not in text
        assert translation.certain == known
        assert not known or uids(translation) == ["totals"]


def test_properties_files_are_read_as_java_reads_them() -> None:
    body = (
        'Properties p = new Properties(); p.load(Job.class.getResourceAsStream("/job.properties"));'
        's.map(x -> x).uid(p.getProperty("long")).map(x -> x).uid(p.getProperty("esc=aped")).print();'
    )
    assert uids(read(body, job=PROPERTIES)) == ["ab", "xA"]


FILTERS = "<project><build><resources><resource><filtering>true</filtering></resource></resources></build>{}</project>"


@pytest.mark.parametrize(
    ("content", "pom", "known"),
    [
        ("u=a-${project.version}\n", FILTERS, False),
        ("u=a-@project.version@\n", FILTERS, False),
        ("u=a\n", FILTERS, True),
        ("u=a-${project.version}\n", "<project>{}</project>", True),
    ],
)
def test_values_that_the_build_fills_in_are_those_of_one_build(content: str, pom: str, known: bool) -> None:
    body = (
        'Properties p = new Properties(); p.load(Job.class.getResourceAsStream("/job.properties"));'
        's.map(x -> x).uid(p.getProperty("u")).print();'
    )
    source = f"{HEAD}{body}\nenv.execute(); }} }}"
    entry = PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="Job", parallelism=4, flink="1.20")

    def derived(version: str) -> set[object]:
        files = {
            "job/src/main/java/Job.java": source, "job/src/main/resources/job.properties": content,
            "job/pom.xml": pom.format(f"<version>{version}</version>"),
        }  # fmt: skip
        read = java.extract(MemoryFiles({path: text.encode() for path, text in files.items()}), entry)
        return {t.uid.derived_from if isinstance(t.uid, Unknown) else t.uid for t in read.transformations if t.uid}

    assert derived("1") == derived("1")
    assert (derived("1") == derived("2")) == known


def test_arguments_win_over_a_file_and_unknown_arguments_leave_it_open() -> None:
    body = (
        'ParameterTool p = ParameterTool.fromPropertiesFile(Job.class.getResourceAsStream("/job.properties"))'
        '.mergeWith(ParameterTool.fromArgs(args)); s.map(x -> x).uid(p.get("uid")).print();'
    )
    assert uids(read(body, ("--uid", "told"), job=PROPERTIES)) == ["told"]
    assert uids(read(body, (), job=PROPERTIES)) == ["from-file"]
    assert not read(body, None, job=PROPERTIES).certain


def test_a_resource_that_is_not_tracked_is_not_known() -> None:
    body = 'Properties p = new Properties(); p.load(Job.class.getResourceAsStream("/other.properties"));'
    assert not read(f'{body} s.map(x -> x).uid(p.getProperty("uid")).print();', job=PROPERTIES).certain


def test_an_enum_looks_itself_up_in_its_own_values() -> None:
    rest = """
    enum Size { SMALL, BIG; static Size of(String s) {
        for (Size k : values()) if (k.name().equalsIgnoreCase(s)) return k;
        return SMALL; } }
    """
    assert uids(read('s.map(x -> x).uid(Size.of("big").name()).print();', (), rest)) == ["BIG"]


def test_a_field_that_a_subclass_hides_stays_the_base_classs_own() -> None:
    rest = """
    static class Base { private String name = "base"; String base() { return name + this.name; } }
    static class Sub extends Base { private String name = "sub"; String both() { name += "!"; return base() + name; } }
    """
    assert uids(read("s.map(x -> x).uid(new Sub().both()).print();", (), rest)) == ["basebasesub!"]
