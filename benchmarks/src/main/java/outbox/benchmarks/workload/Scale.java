package outbox.benchmarks.workload;

import java.time.Duration;
import java.util.List;

/**
 * How much is done.
 *
 * @param rounds how often everything is measured
 * @param producing how long producers write
 * @param backlog events to drain
 * @param peerBacklog the same for peers, which are slower
 * @param listening how long latency is watched
 * @param idling how long idleness is watched
 * @param patience after which a run that does not end is cut off
 * @param doneRows numbers of finished rows with which draining is tried
 */
public record Scale(
        int rounds,
        Duration producing,
        int backlog,
        int peerBacklog,
        Duration listening,
        Duration idling,
        Duration patience,
        List<Integer> doneRows) {

    /** The same with another number of rounds. */
    public Scale withRounds(int newRounds) {
        return new Scale(newRounds, producing, backlog, peerBacklog, listening, idling, patience, doneRows);
    }

    /** For a look. */
    public static final Scale SHORT = new Scale(
            3,
            Duration.ofMillis(800),
            15_000,
            1_000,
            Duration.ofSeconds(3),
            Duration.ofSeconds(15),
            Duration.ofSeconds(10),
            List.of(0, 100_000));

    /** For figures to rely on. */
    public static final Scale FULL = new Scale(
            5,
            Duration.ofSeconds(5),
            100_000,
            20_000,
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            Duration.ofSeconds(40),
            List.of(0, 100_000, 1_000_000));

    /** To get code compiled before it is measured. */
    public static final Scale WARM_UP = warmUp(Duration.ofSeconds(3), 30_000);

    /** The same for what is so far from any bar that it does not matter much. */
    public static final Scale BRIEF_WARM_UP = warmUp(Duration.ofMillis(400), 4_000);

    /** For tests of the harness itself. */
    public static final Scale TINY = new Scale(
            1,
            Duration.ofMillis(100),
            300,
            50,
            Duration.ofMillis(300),
            Duration.ofMillis(300),
            Duration.ofSeconds(20),
            List.of(0, 100));

    private static Scale warmUp(Duration producing, int backlog) {
        return new Scale(
                1,
                producing,
                backlog,
                500,
                Duration.ofSeconds(1),
                Duration.ofMillis(10),
                Duration.ofSeconds(5),
                List.of(0));
    }
}
