package jobs;

public class Visit {
  public String page;
  public Address address;

  static Visit parse(String line) {
    Visit visit = new Visit();
    visit.page = line;
    visit.address = Address.of(line);
    return visit;
  }
}
