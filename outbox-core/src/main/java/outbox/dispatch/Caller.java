package outbox.dispatch;

/** Calls one listener. What it is given has passed the listener's gate, and leaves it when its delivery has ended. Thread-safe. */
interface Caller extends AutoCloseable {

    /** Delivers, or begins to. */
    void call(Passed passed);

    /** Whether {@link #call} comes back at once and runs no code of the listener, so that any thread may call it. */
    default boolean isQuick() {
        return false;
    }

    /** What it was given and has not begun stays in the table. */
    default void giveBackWaiting() {}

    /** Ends what runs on threads of its own. */
    @Override
    default void close() {}
}
