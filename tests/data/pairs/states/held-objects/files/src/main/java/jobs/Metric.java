package jobs;
public enum Metric { VIEWS, CARTS }
