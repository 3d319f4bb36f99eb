package outbox.proof.run;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.proof.consumer.Consuming;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.history.Verdict;
import outbox.proof.node.Configuration;

/**
 * What came out of a round.
 *
 * @param beside the older commit that one node ran, if one did
 * @param committed events whose transaction was committed
 * @param rolledBack events whose transaction was rolled back on purpose, as far as nodes lived to tell
 * @param consumed the outbox whose events went to consumers
 * @param deliveries calls of listeners
 * @param effects what consumers have done because of events
 * @param decisions what a person did about dead events that held their account
 * @param withoutProgress the longest time in which nothing was delivered, while there was load
 */
public record RoundResult(
        DatabaseKind database,
        @Nullable String beside,
        Map<String, Configuration> outboxes,
        String consumed,
        Consuming consuming,
        Map<FaultKind, Integer> faults,
        long committed,
        long rolledBack,
        long deliveries,
        long effects,
        Decisions decisions,
        Verdict verdict,
        Duration withoutProgress,
        Duration took) {

    /**
     * How many events were discarded, and how often one was replayed.
     *
     * @param longestQueue how many events waited behind one of them, at most
     */
    public record Decisions(int discarded, int replayed, int longestQueue) {}

    /** How many faults there were. */
    public int faultCount() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }
}
