package outbox.proof.node;

import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.proof.history.Delivery.Result;
import outbox.proof.history.DeliveryJournal;
import outbox.proof.process.Script;

/** Writes down when its work begins and ends. */
final class JournaledListener implements EventListener {

    private final String outbox;
    private final DeliveryJournal journal;
    private final EventListener work;

    JournaledListener(String outbox, DeliveryJournal journal, EventListener work) {
        this.outbox = outbox;
        this.journal = journal;
        this.work = work;
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        long sum = Script.sum(event.payloadJson()); // while there is memory; without it the end could not be written
        journal.begin(outbox, event.eventId());
        Result result = Result.FAILED;
        try {
            work.onEvent(event);
            result = Result.OK;
        } finally {
            journal.end(outbox, event.eventId(), result, sum);
        }
    }
}
