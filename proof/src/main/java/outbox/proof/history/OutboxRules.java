package outbox.proof.history;

/**
 * What holds for one outbox.
 *
 * @param ordered whether the events of an account come in the order of its transactions
 * @param deletesDelivered whether rows of delivered events are removed
 */
public record OutboxRules(boolean ordered, boolean deletesDelivered) {}
