package outbox.model;

/** Whether anybody takes events from the table and delivers them, in this process or in another one. */
public enum Relaying {
    /** At least one process does. */
    SOMEBODY,
    /** No process has shown itself for too long. */
    NOBODY,
    /** This process does not, and of others nothing is known: the store has no leases, or there is no table of nodes. */
    UNKNOWN
}
