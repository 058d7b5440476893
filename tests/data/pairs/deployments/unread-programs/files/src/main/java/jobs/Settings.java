package jobs;
class Settings { static int n = 1; static Object of(String[] a) { return n; } }
