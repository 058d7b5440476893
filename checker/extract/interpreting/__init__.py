"""What readers of both languages share: the trace of which code ran while a graph was built."""
