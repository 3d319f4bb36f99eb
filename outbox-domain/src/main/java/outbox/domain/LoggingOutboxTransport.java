package outbox.domain;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.EventEnvelope;
import outbox.internal.text.SafeLog;

/**
 * Publishes events to the log and nowhere else, for a start without a broker. A line names the event, never its payload or headers. What it has
 * published counts as delivered.
 */
public final class LoggingOutboxTransport implements OutboxTransport {

    private static final Logger LOG = SafeLog.of(LoggingOutboxTransport.class);

    /** Creates a transport. */
    public LoggingOutboxTransport() {}

    @Override
    public void publish(EventEnvelope event) {
        LOG.log(Level.INFO, "Published to the log only: {0}", event);
    }

    @Override
    public void publish(EventEnvelope event, int attempts) {
        if (attempts == 0) {
            publish(event);
        } else {
            LOG.log(Level.INFO, "Published to the log only, after {1} failed attempt(s): {0}", event, attempts);
        }
    }
}
