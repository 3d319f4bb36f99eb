package outbox.benchmarks.candidate;

/** Why a candidate is in the comparison. */
public enum Role {
    /** Bare JDBC: the best that the database allows. */
    FLOOR,
    /** This project. */
    OURS,
    /** Another project. */
    PEER
}
