package outbox.model;

/** Where an event is in its life. DONE and DEAD are terminal. */
public enum EventStatus {
    /** Inserted, waiting for its first delivery. */
    NEW(0),
    /** Delivered. */
    DONE(1),
    /** Failed, waiting for its next attempt. */
    RETRY(2),
    /** Given up: attempts used up, no listener, or undecodable. */
    DEAD(3);

    private final int code;

    EventStatus(int code) {
        this.code = code;
    }

    /** The value of the table's status column. */
    public int code() {
        return code;
    }

    /**
     * The status with that code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static EventStatus fromCode(int code) {
        for (EventStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException("Unknown event status code: " + code);
    }
}
