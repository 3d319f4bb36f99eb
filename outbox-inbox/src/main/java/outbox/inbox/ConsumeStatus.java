package outbox.inbox;

/** The state of a consume record, as it is stored. */
public enum ConsumeStatus {
    /** Somebody is handling the event, or died while doing so. */
    PROCESSING(0),
    /** The event was handled. */
    SUCCEEDED(1),
    /** The last attempt failed. */
    FAILED(2);

    private final int code;

    ConsumeStatus(int code) {
        this.code = code;
    }

    /** The number in the table. */
    public int code() {
        return code;
    }

    /**
     * The status with that number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static ConsumeStatus ofCode(int code) {
        for (ConsumeStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException("status of a consume record must be 0, 1 or 2, was " + code);
    }
}
