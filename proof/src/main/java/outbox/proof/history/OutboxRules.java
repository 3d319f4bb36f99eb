package outbox.proof.history;

/**
 * What holds for one outbox.
 *
 * @param ordered whether the events of an account come in the order of its transactions
 * @param deletesDelivered whether rows of delivered events are removed
 * @param consumed whether its events go to consumers, where each has its effect exactly once
 * @param mayDieUnheard whether some of its nodes are so old that they make events dead that no listener was called for
 */
public record OutboxRules(boolean ordered, boolean deletesDelivered, boolean consumed, boolean mayDieUnheard) {

    /** Where no event dies unheard. */
    public OutboxRules(boolean ordered, boolean deletesDelivered, boolean consumed) {
        this(ordered, deletesDelivered, consumed, false);
    }

    /** The same with nodes that are so old. */
    public OutboxRules besideOlderNodes() {
        return new OutboxRules(ordered, deletesDelivered, consumed, true);
    }
}
