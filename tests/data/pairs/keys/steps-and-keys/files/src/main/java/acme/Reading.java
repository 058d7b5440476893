package acme;
public class Reading {
  public String meter; public Place place; public int watts;
  public Place key() { return place == null ? new Place() : place; }
}
