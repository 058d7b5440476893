"""Names of ``java.lang`` that need no import."""

from __future__ import annotations

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
