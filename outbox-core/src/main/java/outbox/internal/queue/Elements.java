package outbox.internal.queue;

/** What queues must know of the elements that wait in them. */
public interface Elements<T> {

    /** Tells an element from all others. */
    String idOf(T element);

    /** Whether it waits with the hot ones. */
    boolean isHot(T element);

    /** How many bytes of memory it takes. */
    long sizeOf(T element);
}
