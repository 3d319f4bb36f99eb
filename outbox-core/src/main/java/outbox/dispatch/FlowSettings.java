package outbox.dispatch;

import java.time.Clock;
import org.jspecify.annotations.Nullable;
import outbox.internal.payload.PayloadTransforms;
import outbox.internal.text.EventNames;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore;

/**
 * What an {@link EventFlow} must know.
 *
 * @param hotCapacity how many events may wait after their commit
 * @param coldCapacity how many events from the table may wait
 * @param bytesEach what the events of each queue may take in memory: were it shared, a backlog could keep what was just written out, and the
 *     other way round
 * @param tracker knows what is on its way
 * @param order tells whose turn it is; null if events have no order
 * @param connections on which that is asked
 * @param exporter counts what comes in, and how much waits; as it was given
 * @param clock by which due times are reckoned
 * @param names how log lines name an event
 * @param listeners know which events nobody here listens to
 * @param transforms what is made of payloads on their way into the table
 */
record FlowSettings(
        int hotCapacity,
        int coldCapacity,
        long bytesEach,
        InFlightTracker tracker,
        @Nullable OrderedStore order,
        ConnectionProvider connections,
        MetricsExporter exporter,
        Clock clock,
        EventNames names,
        Listeners listeners,
        PayloadTransforms transforms) {

    /** Payloads lie in the table as they are. */
    FlowSettings(
            int hotCapacity,
            int coldCapacity,
            long bytesEach,
            InFlightTracker tracker,
            @Nullable OrderedStore order,
            ConnectionProvider connections,
            MetricsExporter exporter,
            Clock clock,
            EventNames names,
            Listeners listeners) {
        this(
                hotCapacity,
                coldCapacity,
                bytesEach,
                tracker,
                order,
                connections,
                exporter,
                clock,
                names,
                listeners,
                PayloadTransforms.NONE);
    }

    Ordering ordering() {
        return order == null ? Ordering.NONE : Ordering.PER_AGGREGATE;
    }
}
