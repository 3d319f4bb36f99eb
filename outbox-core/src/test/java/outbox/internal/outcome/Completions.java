package outbox.internal.outcome;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import outbox.dispatch.QueuedEvent;
import outbox.internal.text.EventNames;
import outbox.testsupport.Events;

/** Deliveries that have ended. */
public final class Completions {

    public static final Instant NEXT_AT = Instant.parse("2026-01-01T00:00:05Z");

    public static final Duration DELAY = Duration.ofSeconds(7);

    private Completions() {}

    /** The end of an event that was not delivered. */
    public static Completion of(QueuedEvent event, Verdict outcome) {
        return Completion.of(
                event.envelope(),
                event.source() == QueuedEvent.Source.COLD,
                event.attempts(),
                outcome,
                Completion.NOT_DELIVERED,
                EventNames.PLAIN);
    }

    public static Completion done(String id) {
        return of(Events.hot(id), Verdict.DONE);
    }

    public static Completion coldDone(String id) {
        return of(Events.cold(id), Verdict.DONE);
    }

    public static Completion retry(String id) {
        return of(Events.hot(id), new Verdict.Retry(NEXT_AT, DELAY, "error of " + id));
    }

    public static Completion dead(String id) {
        return of(Events.hot(id, 9), new Verdict.Dead("error of " + id));
    }

    /** The events e0, e1 and so on. */
    public static List<Completion> done(int count) {
        return IntStream.range(0, count).mapToObj(i -> done("e" + i)).toList();
    }

    public static List<String> ids(List<Completion> completions) {
        return completions.stream().map(Completion::eventId).toList();
    }
}
