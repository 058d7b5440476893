class Absent { static void touch() {} }
