package outbox;

/** What happens to the later events of an aggregate when one of them has ended DEAD; see {@link outbox.dispatch.Ordering}. */
public enum AfterDead {
    /** They are delivered without it. */
    CONTINUE,
    /** They wait until somebody has replayed or discarded it; see {@link outbox.dead.BlockedKeyManager}. */
    HOLD_KEY
}
