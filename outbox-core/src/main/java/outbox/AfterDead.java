package outbox;

/** What becomes of the later events of an aggregate when one of them has ended DEAD; see {@link outbox.dispatch.Ordering}. */
public enum AfterDead {
    /** They go on without it. */
    CONTINUE,
    /** They wait until a person has replayed or discarded it; see {@link outbox.dead.BlockedKeyManager}. */
    HOLD_KEY
}
