package checker;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The functions without bodies that the planner called: it computes calls with constant arguments by itself. */
public final class Called {
  private static final Set<String> NAMES = ConcurrentHashMap.newKeySet();

  private Called() {}

  /** What a method without a body throws. */
  public static UnsupportedOperationException byThePlanner(String name) {
    NAMES.add(name);
    return new UnsupportedOperationException("the body of " + name + " is not here");
  }

  /** The names since the last call. */
  public static String[] names() {
    String[] found = NAMES.toArray(new String[0]);
    NAMES.clear();
    return found;
  }
}
