package outbox.proof.node;

import outbox.EventListener;
import outbox.proof.history.DeliveryJournal;

/** What writes down whatever an outbox of a node does with its events. */
record Journaled(EventListener listener, CountingTracker inFlight) {

    static Journaled of(String outbox, DeliveryJournal journal, EventListener work) {
        return new Journaled(new JournaledListener(outbox, journal, work), new CountingTracker(outbox, journal));
    }
}
