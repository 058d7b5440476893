package jobs;

public class Address {
  public String zip;
  public String city;

  static Address of(String line) {
    Address address = new Address();
    address.zip = line;
    return address;
  }
  // methods
}
