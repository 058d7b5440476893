package jobs;
class Keys { static String of(String x) { for (int i = 0; i < 2; i++) { x = x.trim(); } return x; } }
