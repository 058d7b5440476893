package no.ferry;

import java.io.Serializable;

public interface Label<T> extends Serializable {
    String of(T value);

    default String marked(T value) {
        return "f:" + of(value);
    }
}
