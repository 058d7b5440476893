package jobs;
public class Event {
  public String text;
  public static Event of(String text) { Event e = new Event(); e.text = text; return e; }
}
