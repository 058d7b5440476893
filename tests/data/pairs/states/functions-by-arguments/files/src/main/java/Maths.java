public class Maths { static long twice(long x) { return 2 * x; } }
