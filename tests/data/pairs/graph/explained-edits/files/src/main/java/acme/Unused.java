package acme;
class Unused { int a; }
