"""Names of ``java.lang`` that need no import, and the primitive types with their boxes."""

from __future__ import annotations

from typing import Final

_NAMES = """
    Appendable AutoCloseable CharSequence Cloneable Comparable Iterable Readable Runnable Record
    Boolean Byte Character Class ClassLoader Double Enum Float Integer Long Math Number Object Package Process
    ProcessBuilder Runtime Short StackTraceElement StrictMath String StringBuffer StringBuilder System Thread
    ThreadLocal Throwable Void Override Deprecated FunctionalInterface SafeVarargs SuppressWarnings
    ArithmeticException ArrayIndexOutOfBoundsException ClassCastException ClassNotFoundException
    CloneNotSupportedException Error Exception ExceptionInInitializerError IllegalAccessException
    IllegalArgumentException IllegalStateException IndexOutOfBoundsException InstantiationException
    InterruptedException NoSuchFieldException NoSuchMethodException NullPointerException NumberFormatException
    OutOfMemoryError ReflectiveOperationException RuntimeException SecurityException StackOverflowError
    StringIndexOutOfBoundsException UnsupportedOperationException AssertionError
"""

JAVA_LANG = frozenset(_NAMES.split())
NUMERIC: Final = ("byte", "short", "char", "int", "long", "float", "double")
"""The primitive types of numbers and characters, the narrowest first."""
BOXES: Final = {
    "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer", "long": "Long", "float": "Float",
    "double": "Double", "boolean": "Boolean",
}  # fmt: skip
UNBOXED: Final = {box: primitive for primitive, box in BOXES.items()}

JAVA_UTIL: Final = frozenset(
    {"ArrayDeque", "ArrayList", "Collection", "Date", "Deque", "EnumMap", "EnumSet", "HashMap", "HashSet", "Iterator",
     "LinkedHashMap", "LinkedHashSet", "LinkedList", "List", "Map", "Optional", "PriorityQueue", "Properties", "Queue",
     "Set", "SortedMap", "SortedSet", "TreeMap", "TreeSet", "UUID"}
)  # fmt: skip
"""Classes of that package that lie in state: where several packages are imported as a whole, they are of this one."""
