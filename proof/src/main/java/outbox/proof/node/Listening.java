package outbox.proof.node;

import java.time.Duration;
import outbox.Listener;

/** How the listener of an outbox is called. */
enum Listening {
    ONE_BY_ONE {
        @Override
        Listener listener(Journaled journaled) {
            return Listener.of(journaled.listener());
        }
    },
    STAGES {
        @Override
        Listener listener(Journaled journaled) {
            return Listener.async((event, delivery) ->
                            InterruptibleStage.of(() -> journaled.listener().onEvent(event)))
                    .concurrency(DELIVERIES)
                    .timeout(TIMEOUT);
        }
    },
    BATCHES {
        @Override
        Listener listener(Journaled journaled) {
            return Listener.batch(DELIVERIES / 2, Duration.ofMillis(20), journaled::onEvents)
                    .concurrency(2)
                    .timeout(TIMEOUT);
        }
    };

    /** So few that their events fit into the heap if all of them are large. */
    private static final int DELIVERIES = 12;

    /** Longer than a lease, so that leases are renewed for deliveries that take long; shorter than the longest ones. */
    private static final Duration TIMEOUT = Duration.ofSeconds(9);

    abstract Listener listener(Journaled journaled);
}
