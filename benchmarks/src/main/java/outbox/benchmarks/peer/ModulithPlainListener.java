package outbox.benchmarks.peer;

import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.event.TransactionalEventListener;
import outbox.benchmarks.candidate.Deliveries;

/** A listener that needs no transaction of its own. */
public class ModulithPlainListener {

    private final Deliveries deliveries;

    /** Reports to the given deliveries. */
    public ModulithPlainListener(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** Receives an event. */
    @Async
    @TransactionalEventListener
    public void on(PeerEvent event) {
        deliveries.arrived(event.payload());
    }
}
