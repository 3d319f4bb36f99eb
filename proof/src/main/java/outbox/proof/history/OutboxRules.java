package outbox.proof.history;

/**
 * What holds for one outbox.
 *
 * @param ordered whether the events of an account come in the order of its transactions
 * @param deletesDelivered whether rows of delivered events are removed
 * @param consumed whether its events go to consumers, where each has its effect exactly once
 */
public record OutboxRules(boolean ordered, boolean deletesDelivered, boolean consumed) {}
