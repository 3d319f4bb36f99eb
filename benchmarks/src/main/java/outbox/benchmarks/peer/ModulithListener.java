package outbox.benchmarks.peer;

import org.springframework.modulith.events.ApplicationModuleListener;
import outbox.benchmarks.candidate.Deliveries;

/** The listener that Spring Modulith recommends. */
public class ModulithListener {

    private final Deliveries deliveries;

    /** Reports to the given deliveries. */
    public ModulithListener(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** Receives an event. */
    @ApplicationModuleListener
    public void on(PeerEvent event) {
        deliveries.arrived(event.payload());
    }
}
