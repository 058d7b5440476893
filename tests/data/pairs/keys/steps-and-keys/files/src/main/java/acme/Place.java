package acme;
import java.util.Objects;
public class Place {
  public String town; public int floor;
  @Override public boolean equals(Object o) {
    if (this == o) return true;
    if (o == null || getClass() != o.getClass()) return false;
    Place that = (Place) o;
    return floor == that.floor && Objects.equals(town, that.town);
  }
  @Override public int hashCode() { return Objects.hash(town, floor); }
}
