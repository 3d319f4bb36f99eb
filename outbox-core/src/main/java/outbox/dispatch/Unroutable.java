package outbox.dispatch;

/** What becomes of an event that has no listener in this process. */
public enum Unroutable {
    /**
     * It waits in the table for a process that has one, for example the next version of this one; no attempt is counted. Claims of this process
     * leave its kind out. With order, later events of its aggregate wait as well.
     */
    WAIT,
    /** It ends DEAD, as after its last attempt. */
    DEAD
}
