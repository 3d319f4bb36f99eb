package outbox.benchmarks.peer;

import io.namastack.outbox.annotation.OutboxHandler;
import outbox.benchmarks.candidate.Deliveries;

/** The handler bean of Namastack Outbox. */
public class NamastackHandler {

    private final Deliveries deliveries;

    /** Reports to the given deliveries. */
    public NamastackHandler(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** Receives an event. */
    @OutboxHandler
    public void handle(PeerEvent event) {
        deliveries.arrived(event.payload());
    }
}
