package outbox.cluster.order;

import java.util.List;

/**
 * How far a run has come.
 *
 * @param events how many there are
 * @param unsettled how many of them are pending or hold their key
 */
record Progress(long events, long unsettled) {

    static Progress parse(String text) {
        List<String> words = List.of(text.split(" "));
        return new Progress(Long.parseLong(words.get(0)), Long.parseLong(words.get(1)));
    }

    @Override
    public String toString() {
        return events + " " + unsettled;
    }
}
