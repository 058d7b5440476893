import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What programs under test report: elements that pass, and whether the first look at a key's state finds any. */
public final class Probe {
    public static final AtomicLong ELEMENTS = new AtomicLong();
    public static final AtomicLong FOUND = new AtomicLong();
    public static final AtomicLong MISSED = new AtomicLong();
    private static final Set<Object> SEEN = ConcurrentHashMap.newKeySet();

    private Probe() {}

    public static void element() {
        ELEMENTS.incrementAndGet();
    }

    /** The value of some state when an element with this key arrives. */
    public static void look(Object key, Object value) {
        if (SEEN.add(String.valueOf(key))) {
            (value == null ? MISSED : FOUND).incrementAndGet();
        }
    }

    public static void reset() {
        SEEN.clear();
        FOUND.set(0);
        MISSED.set(0);
    }
}
