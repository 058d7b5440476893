package kotlin.jvm.internal;

import java.util.Objects;

/** The few methods of Kotlin's library that the compiled programs call, so that the library itself is not needed. */
public final class Intrinsics {
  private Intrinsics() {}

  public static boolean areEqual(Object one, Object other) {
    return Objects.equals(one, other);
  }

  public static void checkNotNull(Object value) {
    Objects.requireNonNull(value);
  }

  public static void checkNotNull(Object value, String message) {
    Objects.requireNonNull(value, message);
  }

  public static void checkNotNullExpressionValue(Object value, String expression) {
    Objects.requireNonNull(value, expression);
  }

  public static void checkNotNullParameter(Object value, String parameter) {
    Objects.requireNonNull(value, parameter);
  }

  public static void throwUninitializedPropertyAccessException(String property) {
    throw new IllegalStateException(property);
  }
}
