package kotlin.jvm.internal;

/** Marks constructors with default arguments. */
public final class DefaultConstructorMarker {
  private DefaultConstructorMarker() {}
}
