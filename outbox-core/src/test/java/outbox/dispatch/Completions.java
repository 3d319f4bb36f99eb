package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

/** Deliveries that have ended. */
final class Completions {

    static final Instant NEXT_AT = Instant.parse("2026-01-01T00:00:05Z");

    static final Duration DELAY = Duration.ofSeconds(7);

    private Completions() {}

    static Completion done(String id) {
        return Completion.of(hot(id), Outcome.DONE);
    }

    static Completion coldDone(String id) {
        return Completion.of(cold(id), Outcome.DONE);
    }

    static Completion retry(String id) {
        return Completion.of(hot(id), new Outcome.Retry(NEXT_AT, DELAY, "error of " + id));
    }

    static Completion dead(String id) {
        return Completion.of(hot(id, 9), new Outcome.Dead("error of " + id));
    }

    /** The events e0, e1 and so on. */
    static List<Completion> done(int count) {
        return IntStream.range(0, count).mapToObj(i -> done("e" + i)).toList();
    }

    static List<String> ids(List<Completion> completions) {
        return completions.stream().map(Completion::eventId).toList();
    }
}
