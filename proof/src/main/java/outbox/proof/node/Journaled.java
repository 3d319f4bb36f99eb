package outbox.proof.node;

import java.io.IOException;
import java.util.List;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outcome;
import outbox.proof.history.Delivery.Result;
import outbox.proof.history.DeliveryJournal;
import outbox.proof.process.Script;

/** What writes down whatever an outbox of a node does with its events. */
final class Journaled {

    private final String outbox;
    private final DeliveryJournal journal;
    private final EventListener work;
    private final CountingTracker inFlight;

    private Journaled(String outbox, DeliveryJournal journal, EventListener work) {
        this.outbox = outbox;
        this.journal = journal;
        this.work = work;
        this.inFlight = new CountingTracker(outbox, journal);
    }

    static Journaled of(String outbox, DeliveryJournal journal, EventListener work) {
        return new Journaled(outbox, journal, work);
    }

    CountingTracker inFlight() {
        return inFlight;
    }

    /** Does its work with one event. */
    EventListener listener() {
        return new JournaledListener(outbox, journal, work);
    }

    /** Does its work with all events, one after the other, or with none: if one fails, what was done with the others is undone. */
    List<Outcome> onEvents(List<Delivery> batch) throws Exception {
        long[] sums = batch.stream()
                .mapToLong(delivery -> Script.sum(delivery.event().payloadJson()))
                .toArray();
        for (Delivery delivery : batch) {
            journal.begin(outbox, delivery.eventId());
        }
        Result result = Result.FAILED;
        try {
            for (Delivery delivery : batch) {
                EventEnvelope event = delivery.event();
                work.onEvent(event);
            }
            result = Result.OK;
        } finally {
            writeEnds(batch, result, sums);
        }
        return Outcome.allDone(batch);
    }

    private void writeEnds(List<Delivery> batch, Result result, long[] sums) throws IOException {
        for (int i = 0; i < sums.length; i++) {
            journal.end(outbox, batch.get(i).eventId(), result, sums[i]);
        }
    }
}
