package lab;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Classes that lie in state, as the old program has them. */
public class Types {
  public static class Same { public String name; public int age; }
  public static class FieldAdded { public String name; }
  public static class FieldRemoved { public String name; public int age; }
  public static class FieldRetyped { public String name; public int age; }
  public static class Widened { public int count; }
  public static class Boxed { public int count; }
  public static class FieldMoved { public String a; public String b; }
  public static class LosesConstructor { public String name; }
  public static class LosesPublic { public String name; }
  public static class LosesSetter { private String name; public String getName() { return name; } public void setName(String n) { name = n; } }
  public static class GainsSetter { private String name; public String getName() { return name; } }
  public static class Accessors { private String first_name; private boolean done; public String getFirstName() { return first_name; } public void setFirstName(String n) { first_name = n; } public boolean isDone() { return done; } public void setDone(boolean d) { done = d; } }
  public static class WrongSetter { private boolean isDone; public boolean isDone() { return isDone; } public void setDone(boolean d) { isDone = d; } }
  public static class ChainedSetter { private String name; public String getName() { return name; } public ChainedSetter setName(String n) { name = n; return this; } }
  public static class BoxedAccessors { private int count; public Integer getCount() { return count; } public void setCount(Integer c) { count = c; } }
  public static class WithTransient { public String name; public transient int cache; public static int COUNT; }
  public static class TransientChanged { public String name; public transient int cache; }
  public static class BecomesTransient { public String name; public int cache; }
  public static class NoFields { }
  public static class OnlyStatic { public static int COUNT; }
  public class Inner { public String name; }
  public static class Base { public String id; }
  public static class Derived extends Base { public int age; }
  public static class DerivedOther extends Base { public int age; }
  public static class Shadowing extends Base { public String id; }
  public static class Nested { public Part part; public String name; }
  public static class Part { public int size; }
  public static class NestedRetyped { public PartRetyped part; }
  public static class PartRetyped { public int size; }
  public static class NestedKryo { public KryoPart part; }
  public static class KryoPart { private final String text; public KryoPart(String t) { text = t; } }
  public static class Recursive { public Recursive next; public int value; }
  public static class WithList { public List<Long> values; }
  public static class ListRetyped { public List<Long> values; }
  public static class ListToMap { public List<Long> values; }
  public static class ListToBasic { public List<Long> values; }
  public static class WithMap { public Map<String, Part> parts; }
  public static class WithArray { public int[] values; public String[] names; }
  public static class ArrayRetyped { public int[] values; }
  public static class WithTime { public Instant at; }
  public static class TimeToLong { public Instant at; }
  public static class WithObject { public Object any; }
  public static class WithEnum { public Color color; }
  public static class EnumToString { public Color color; }
  public static class Kryo { private final int size; public Kryo(int s) { size = s; } }
  public static class KryoChanged { private final int size; public KryoChanged(int s) { size = s; } }
  public static class KryoToPojo { private final int size; public KryoToPojo(int s) { size = s; } }
  public interface Shape { double area(); }
  public static class WithInterface { public Shape shape; }
  public static class Generic<T> { public T value; public String name; }
  public static class OfGeneric { public Generic<Long> value; }
  public static class OfGenericRetyped { public Generic<Long> value; }
  public static class FinalPublic { public final int size = 1; }
  public static class ProtectedConstructor { public String name; protected ProtectedConstructor() { } }
  static class NotPublic { public String name; }
  public static class MapSubclass extends HashMap<String, Long> { public String name; }
  public enum Color { RED, GREEN, BLUE }
  public enum Grown { A, B }
  public enum Shrunk { A, B, C }
  public enum Reordered { A, B, C }
  public enum WithBodies { A { int f() { return 1; } }, B { int f() { return 2; } }; abstract int f(); }
  public record Point(int x, int y) { }
  public record PointGrown(int x, int y) { }
  public record PointRetyped(int x, int y) { }
  public static class RecordField { public Point point; }
  public static class Renamed { public String name; }
  public static class ClassToRecord { public int x; }
  public static class PulledUp extends Top { public String name; }
  public static class PushedDown extends TopDown { public int age; }
  public static class BecomesStatic { public String name; public int cache; }
  public static class Top { public String id; }
  public static class TopDown { public String id; public String name; }
  public static class Reparented extends Top { public int age; }
  public static class Isolated { private boolean isOpen; public boolean isOpen() { return isOpen; } public void setIsOpen(boolean d) { isOpen = d; } }
}
