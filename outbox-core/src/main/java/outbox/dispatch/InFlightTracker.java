package outbox.dispatch;

/** Knows which events are queued or running in this process, so that none is taken twice. Must be thread-safe. */
public interface InFlightTracker {

    /** Takes the event; false if it is taken already. */
    boolean tryAcquire(String eventId);

    /** Frees the event; one that is not taken is no error. */
    void release(String eventId);
}
