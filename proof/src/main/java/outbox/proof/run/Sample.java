package outbox.proof.run;

import java.util.Arrays;
import java.util.List;

/**
 * What a node holds at a moment.
 *
 * @param kilobytes memory in use after a collection
 * @param inFlight events that are queued, running, or waiting to be recorded
 */
public record Sample(int kilobytes, int threads, int connections, int inFlight) {

    static Sample parse(String text) {
        List<Integer> words =
                Arrays.stream(text.split(" ", 4)).map(Integer::valueOf).toList();
        return new Sample(words.get(0), words.get(1), words.get(2), words.get(3));
    }
}
