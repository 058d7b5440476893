package golden;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

class Labels {
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> s = env.fromSequence(1,2);
        outer: for (int i=0;i<4;i++) {
            for (int j=0;j<3;j++) {
                if (j==2) continue outer;
                if (i==2) break outer;
                s = s.map(x->x).uid("m"+i+"-"+j);
            }
        }
        s.print();
        env.execute();
    }
}

class Switch {
    static String f(int i) {
        String r="";
        switch(i) {
            case 1: r+="a";
            case 2: r+="b";
            break;
            case 3: r+="c";
            default: r+="d";
        }
        return r;
    }
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> s = env.fromSequence(1,2);
        for (int i=0;i<4;i++) s = s.map(x->x).uid(i+f(i));
        s.print();
        env.execute();
    }
}

class Format {
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> s = env.fromSequence(1,2);
        s = s.map(x->x).uid(String.format("%05d|%-6s|%6s|%x|%s|%.2f|%b|%c|%%", 42, "ab", "cd", 255, Arrays.asList(1,2), 3.14159, true, 'z'));
        s = s.map(x->x).uid("abc".substring(1).toUpperCase().concat("!").replace('B','b').repeat(2) + String.join("-", List.of("x","y")) + "a,b,c".split(",").length + " t ".trim() + 'c' + 1 + 2L + 1.5 + 2.0f + null + true);
        s = s.map(x->x).uid("" + (1 + 2) + 3 + (char) ('a' + 1) + (5 / 2) + (-7 % 3) + (1 << 4) + (0xFF & 0x0F) + Integer.MAX_VALUE + (Integer.MAX_VALUE + 1) + Long.MAX_VALUE + (7 >>> 1) + (5 > 3 ? "y" : "n") + "x".hashCode() + "hello world".hashCode());
        s.print();
        env.execute();
    }
}

class Shadow {
    static String name="outer";
    static class Inner {
        String name="inner";
        String get() {
            return name + Shadow.name + this.name;
        }
    }
    static class Sub extends Inner {
        String name="sub";
        @Override String get() {
            return super.get() + name;
        }
    }
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Inner i = new Sub();
        env.fromSequence(1,2).map(x->x).uid(i.get() + ((Sub) i).name).print();
        env.execute();
    }
}

class Init {
    static final List<String> LOG = new ArrayList<>();
    static {
        LOG.add("static");
    } {
        LOG.add("instance");
    }
    Init() {
        LOG.add("ctor");
    }
    static int n = 5;
    static {
        n *= 2;
    }
    public static void main(String[] a) throws Exception {
        new Init();
        new Init();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1,2).map(x->x).uid(String.join("/", LOG) + n).print();
        env.execute();
    }
}

class Streams {
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> s = env.fromSequence(1,2);
        List<DataStream<Long>> l = IntStream.rangeClosed(1,3).mapToObj(i -> (DataStream<Long>) s.map(x->x).uid("r"+i)).collect(Collectors.toList());
        DataStream<Long> u = l.stream().skip(1).reduce(l.get(0), DataStream::union);
        u.print();
        Stream.of("c","a","b").sorted().filter(x -> !x.equals("b")).map(String::toUpperCase).forEach(n -> s.filter(x->true).uid(n).print());
        Map<Boolean, List<Integer>> parts = Stream.of(1,2,3,4).collect(Collectors.partitioningBy(i -> i % 2 == 0));
        s.map(x->x).uid("p" + parts.get(true)).print();
        env.execute();
    }
}

class Throw {
    static DataStream<Long> f(DataStream<Long> s, int d) {
        try {
            if (d == 0) throw new IllegalStateException("x");
            return f(s.map(x->x).uid("d"+d), d-1);
        } catch (IllegalStateException e) {
            return s.filter(x->true).uid("caught" + d + e.getMessage());
        } finally {
            s.print();
        }
    }
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        f(env.fromSequence(1,2), 2).print();
        env.execute();
    }
}

class Generic<T extends Comparable<T>> {
    private final Supplier<DataStream<Long>> source;
    Generic(Supplier<DataStream<Long>> s) {
        source = s;
    }
    T max(T... xs) {
        T m = xs[0];
        for (T x : xs) if (x.compareTo(m) > 0) m = x;
        return m;
    }
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Generic<String> g = new Generic<>(() -> env.fromSequence(1,2));
        g.source.get().map(x->x).uid(g.max("b","c","a")).print();
        g.source.get().map(x->x).uid("" + new Generic<Integer>(null).max(3,9,4)).print();
        env.execute();
    }
}

enum Size {
    SMALL(1) {
        int p() {
            return 1;
        }
    }, BIG(3);
    final int n;
    Size(int n) {
        this.n = n;
    }
    int p() {
        return n + 1;
    }
    static Size of(String s) {
        for (Size k : values()) if (k.name().equalsIgnoreCase(s)) return k;
        return SMALL;
    }
}

class Enum {
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        for (Size k : Size.values()) env.fromSequence(1,2).uid(k + "" + k.ordinal()).setParallelism(k.p()).map(x->x).print();
        EnumMap<Size,String> m = new EnumMap<>(Size.class);
        m.put(Size.BIG,"b");
        m.put(Size.SMALL,"s");
        for (Size k : m.keySet()) env.fromSequence(1,2).uid("em"+m.get(k)).print();
        switch (Size.of("big")) {
            case BIG: env.fromSequence(1,2).uid("big").print();
            break;
            default: env.fromSequence(1,2).uid("other").print();
        }
        env.execute();
    }
}

class Mutable {
    static class Ctx {
        int n;
        List<String> names = new ArrayList<>();
        Ctx add(String s) {
            names.add(n++ + s);
            return this;
        }
    }
    static void fill(Ctx c) {
        c.add("f");
        c.n += 10;
    }
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Ctx c = new Ctx().add("a");
        fill(c);
        Ctx d = c;
        d.add("z");
        int[] counter = {0};
        Runnable r = () -> counter[0]++;
        r.run();
        r.run();
        int i = 0;
        i = i++ + ++i;
        env.fromSequence(1,2).map(x->x).uid(String.join(",", c.names) + c.n + counter[0] + i).print();
        env.execute();
    }
}

class Tree {
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        TreeMap<String,Integer> t = new TreeMap<>(Comparator.reverseOrder());
        t.put("a",1);
        t.put("c",2);
        t.put("b",3);
        for (String k : t.keySet()) env.fromSequence(1,2).uid(k+t.get(k)).print();
        List<Integer> l = new LinkedList<>(List.of(3,1,2));
        Collections.sort(l);
        for (int x : l) env.fromSequence(1,2).uid("s"+x).print();
        l.removeIf(x -> x == 2);
        l.add(0, 9);
        env.fromSequence(1,2).uid(""+l+l.indexOf(3)+l.contains(1)).print();
        Iterator<Integer> it = l.iterator();
        while (it.hasNext()) if (it.next() == 1) it.remove();
        env.fromSequence(1,2).uid("after"+l).print();
        Deque<String> dq = new ArrayDeque<>();
        dq.push("x");
        dq.push("y");
        env.fromSequence(1,2).uid(dq.pop()+dq.peek()).print();
        env.execute();
    }
}

class Text {
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        StringBuilder sb = new StringBuilder("x");
        for (int i=0;i<3;i++) sb.append(i).append(',');
        sb.setLength(sb.length()-1);
        sb.insert(0,"<").reverse();
        env.fromSequence(1,2).map(x->x).uid(sb.toString()+"A-b_c".replaceAll("[-_]","") + "x.y".lastIndexOf('.') + "  pad".strip() + "ABC".toLowerCase().charAt(1) + "a".compareTo("c") + "k=v".split("=")[1] + "tést".length() + Integer.toHexString(255) + Integer.parseInt("12") + Double.toString(1e10) + (float) 1/3 + 1.0/3 + 100.0 + 1e-5).print();
        env.execute();
    }
}

class Ternary {
    static boolean side(List<String> l, String s) {
        l.add(s);
        return true;
    }
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        List<String> l = new ArrayList<>();
        boolean x = false && side(l,"no");
        x |= side(l,"yes");
        x = x || side(l,"never");
        x = x & side(l,"and");
        env.fromSequence(1,2).map(v->v).uid(l.toString()+x).print();
        String n = null;
        env.fromSequence(1,2).uid(Objects.requireNonNullElse(n,"dflt")).print();
        env.execute();
    }
}

record Rec(String name, int n) {
    Rec {
        if (n < 0) throw new IllegalArgumentException();
    }
    String id() {
        return name + n;
    }
    static Rec of(String s) {
        return new Rec(s, s.length());
    }
}

class Record {
    public static void main(String[] a) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        var rs = List.of(Rec.of("abc"), new Rec("z", 9));
        for (var r : rs) env.fromSequence(1,2).uid(r.id()+r.name()+r.n()).print();
        env.fromSequence(1,2).uid(rs.get(0).toString()).print();
        String t = switch (rs.size()) {
            case 1 -> "one";
            case 2 -> {
                String q = "tw";
                yield q + "o";
            }
            default -> "many";
        };
        env.fromSequence(1,2).uid(t).print();
        Object o = rs.get(1);
        if (o instanceof Rec r2 && r2.n() == 9) env.fromSequence(1,2).uid("pattern"+r2.name()).print();
        env.fromSequence(1,2).uid("""
  block
    text""").print();
        env.execute();
    }
}
