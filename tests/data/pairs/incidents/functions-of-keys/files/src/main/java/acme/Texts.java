package acme;
class Texts {
  static String normal(String page) { return page.trim(); }
}
