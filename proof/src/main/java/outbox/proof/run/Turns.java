package outbox.proof.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Gives every value its turn before the first comes again, in a random order. */
final class Turns<T> {

    private final List<T> values;
    private final Random random;
    private final List<T> left = new ArrayList<>();

    Turns(List<T> values, Random random) {
        this.values = List.copyOf(values);
        this.random = random;
    }

    T next() {
        if (left.isEmpty()) {
            left.addAll(values);
            Collections.shuffle(left, random);
        }
        return left.remove(0);
    }
}
