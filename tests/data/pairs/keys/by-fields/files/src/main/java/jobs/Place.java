package jobs;

public record Place(String zip, String city) {}
