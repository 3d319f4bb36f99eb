package outbox.proof.history;

import java.util.List;

/** What the consumers' database holds in the end. */
public record Consumption(List<Effect> effects, List<ConsumeRow> records, List<Balance> balances) {

    /**
     * What an event has done: a unit went from one account to another.
     *
     * @param outbox the table that it came from
     * @param process who did it
     */
    public record Effect(
            String outbox, String eventId, String debited, String credited, long payloadSum, String process) {}

    /**
     * What is recorded of an event that was consumed.
     *
     * @param status its code: 0 PROCESSING, 1 SUCCEEDED, 2 FAILED
     */
    public record ConsumeRow(String outbox, String eventId, int status) {

        static final int SUCCEEDED = 1;
    }

    /** How many units an account has. */
    public record Balance(String account, long units) {}

    /** Nobody has consumed anything. */
    public static final Consumption NONE = new Consumption(List.of(), List.of(), List.of());
}
