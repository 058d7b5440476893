package no.ferry;

public record Crossing(String ship, String from, String to, int cars) {
    static Crossing parse(String line) {
        String[] cells = line.split(",");
        return new Crossing(cells[0], cells[1], cells[2], Integer.parseInt(cells[3]));
    }

    String route() {
        return from + "-" + to;
    }

    String back() {
        return to + "-" + from;
    }
}
