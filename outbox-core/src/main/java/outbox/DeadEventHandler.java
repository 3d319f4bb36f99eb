package outbox;

/**
 * Is told when an event has ended DEAD: to compensate, to alert, to copy it elsewhere. However the event ended, it is told at least once, after the
 * mark has been committed, also if the process ends in between; then, or if this throws, it is told again. So let it recognise an {@link
 * DeadEvent#eventId() event} that it knows. Whatever it does, the event stays DEAD. Called by several threads.
 *
 * <p>Between the end of the event and this call somebody may have replayed it.
 */
@FunctionalInterface
public interface DeadEventHandler {

    /** What it throws makes the call be repeated, with growing pauses and without end; {@link RetryAfterException} says when. */
    void onDead(DeadEvent event) throws Exception;
}
