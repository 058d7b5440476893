package lab;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The same classes as the new program has them. */
public class Types {
  public static class Same { public int age; public String name; public String greeting() { return "I am " + name; } }
  public static class FieldAdded { public String name; public int age; }
  public static class FieldRemoved { public String name; }
  public static class FieldRetyped { public String name; public String age; }
  public static class Widened { public long count; }
  public static class Boxed { public Integer count; }
  public static class FieldMoved { public String b; public String a; }
  public static class LosesConstructor { public String name; public LosesConstructor(String n) { name = n; } }
  static class LosesPublic { public String name; }
  public static class LosesSetter { private String name; public String getName() { return name; } }
  public static class GainsSetter { private String name; public String getName() { return name; } public void setName(String n) { name = n; } }
  public static class Accessors { private String first_name; private boolean done; private long at; public String getFirstName() { return first_name; } public void setFirstName(String n) { first_name = n; } public boolean isDone() { return done; } public void setDone(boolean d) { done = d; } public long at() { return at; } public void setAt(long a) { at = a; } }
  public static class WrongSetter { private boolean isDone; private int more; public boolean isDone() { return isDone; } public void setDone(boolean d) { isDone = d; } }
  public static class ChainedSetter { private String name; private long at; public String getName() { return name; } public ChainedSetter setName(String n) { name = n; return this; } public long getAt() { return at; } public ChainedSetter setAt(long a) { at = a; return this; } }
  public static class BoxedAccessors { private int count; private int more; public Integer getCount() { return count; } public void setCount(Integer c) { count = c; } public int getMore() { return more; } public void setMore(int m) { more = m; } }
  public static class WithTransient { public String name; public transient int cache; public static int COUNT; public static int MORE; }
  public static class TransientChanged { public String name; public transient String cache; }
  public static class BecomesTransient { public String name; public transient int cache; }
  public static class NoFields { }
  public static class OnlyStatic { public static int COUNT; public static int MORE; }
  public class Inner { public String name; public int age; }
  public static class Base { public String id; public int version; }
  public static class Derived extends Base { public int age; }
  public static class DerivedOther extends Base { public long age; }
  public static class Shadowing extends Base { public String id; }
  public static class Nested { public Part part; public String name; }
  public static class Part { public int size; public String colour; }
  public static class NestedRetyped { public PartRetyped part; }
  public static class PartRetyped { public long size; }
  public static class NestedKryo { public KryoPart part; }
  public static class KryoPart { private final String text; private final int more = 1; public KryoPart(String t) { text = t; } }
  public static class Recursive { public Recursive next; public int value; public int more; }
  public static class WithList { public List<Long> values; public int more; }
  public static class ListRetyped { public List<String> values; }
  public static class ListToMap { public Map<Long, Long> values; }
  public static class ListToBasic { public Long values; }
  public static class WithMap { public Map<String, Part> parts; }
  public static class WithArray { public int[] values; public String[] names; }
  public static class ArrayRetyped { public long[] values; }
  public static class WithTime { public Instant at; public Instant until; }
  public static class TimeToLong { public long at; }
  public static class WithObject { public Object any; }
  public static class WithEnum { public Color color; }
  public static class EnumToString { public String color; }
  public static class Kryo { private final int size; public Kryo(int s) { size = s; } public int size() { return size; } }
  public static class KryoChanged { private final int size; private final String name; public KryoChanged(int s) { size = s; name = ""; } }
  public static class KryoToPojo { public int size; }
  public interface Shape { double area(); double length(); }
  public static class WithInterface { public Shape shape; }
  public static class Generic<T> { public T value; public String name; }
  public static class OfGeneric { public Generic<Long> value; public int more; }
  public static class OfGenericRetyped { public Generic<String> value; }
  public static class FinalPublic { public final int size = 1; public int more; }
  public static class ProtectedConstructor { public String name; protected ProtectedConstructor() { } }
  static class NotPublic { public String name; }
  public static class MapSubclass extends HashMap<String, Long> { public String name; public int more; }
  public enum Color { RED, GREEN, BLUE }
  public enum Grown { A, B, C }
  public enum Shrunk { A, B }
  public enum Reordered { C, A, B }
  public enum WithBodies { A { int f() { return 1; } }, B { int f() { return 2; } }; abstract int f(); }
  public record Point(int x, int y) { }
  public record PointGrown(int x, int y, int z) { }
  public record PointRetyped(long x, int y) { }
  public static class RecordField { public Point point; public int more; }
  public static class RenamedNow { public String name; }
  public record ClassToRecord(int x) { }
  public static class PulledUp extends Top { public int age; }
  public static class PushedDown extends TopDown { public int age; public String name; }
  public static class BecomesStatic { public String name; public static int cache; }
  public static class Top { public String id; public String name; }
  public static class TopDown { public String id; }
  public static class Reparented extends TopDown { public int age; }
  public static class Isolated { private boolean isOpen; private int more; public boolean isOpen() { return isOpen; } public void setIsOpen(boolean d) { isOpen = d; } public int more() { return more; } public void setMore(int m) { more = m; } }
}
