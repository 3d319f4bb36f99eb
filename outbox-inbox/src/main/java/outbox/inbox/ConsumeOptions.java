package outbox.inbox;

import java.time.Duration;
import java.util.Objects;
import outbox.internal.check.Require;

/**
 * How events are consumed. Immutable; the {@code with} methods return changed copies.
 *
 * @param lockTtl how long a lease lasts; several times what a handler normally takes. Default: 30 seconds. Only with
 *     {@link Acquisition#LEASE}
 * @param waitIfInProgress whether to wait for the outcome when somebody else is handling the event. Default: false
 * @param waitMax how long to wait in that case. Default: zero
 * @param maxRetry how many retries follow the first failure; more failures are recorded as exhausted. Default: 20
 * @param baseBackoff the pause before the first retry, doubled for each further one; zero if every arrival may be retried at once.
 *     Default: 1 second
 * @param maxBackoff the longest pause. Default: 5 minutes
 * @param acquisition how others are kept out. Default: {@link Acquisition#LEASE}
 * @param keepFailedEvents whether the whole event is stored with the record of its failure, so that a {@link ConsumeRetryRunner} can
 *     retry it without another delivery. Default: false
 */
public record ConsumeOptions(
        Duration lockTtl,
        boolean waitIfInProgress,
        Duration waitMax,
        int maxRetry,
        Duration baseBackoff,
        Duration maxBackoff,
        Acquisition acquisition,
        boolean keepFailedEvents) {

    public static final Duration DEFAULT_LOCK_TTL = Duration.ofSeconds(30);
    public static final int DEFAULT_MAX_RETRY = 20;
    public static final Duration DEFAULT_BASE_BACKOFF = Duration.ofSeconds(1);
    public static final Duration DEFAULT_MAX_BACKOFF = Duration.ofMinutes(5);

    /** Far longer than anybody needs, and far shorter than what overflows in a database. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private static final ConsumeOptions DEFAULTS = new ConsumeOptions(
            DEFAULT_LOCK_TTL, false, Duration.ZERO, DEFAULT_MAX_RETRY, DEFAULT_BASE_BACKOFF, DEFAULT_MAX_BACKOFF);

    /** @throws IllegalArgumentException if a value is out of range or two contradict each other; the message says which */
    public ConsumeOptions {
        requireWithin(Duration.ofMillis(1), lockTtl, "lockTtl");
        requireWithin(Duration.ZERO, waitMax, "waitMax");
        Require.atLeast(0, maxRetry, "maxRetry");
        requireWithin(Duration.ZERO, baseBackoff, "baseBackoff");
        requireWithin(Duration.ZERO, maxBackoff, "maxBackoff");
        Objects.requireNonNull(acquisition, "acquisition");
        if (maxBackoff.compareTo(baseBackoff) < 0) {
            throw new IllegalArgumentException(
                    "maxBackoff must be >= baseBackoff, was " + maxBackoff + " with baseBackoff " + baseBackoff);
        }
        if (waitIfInProgress && waitMax.isZero()) {
            throw new IllegalArgumentException(
                    "waitMax must be positive when waitIfInProgress is set, was PT0S; set a time, or do not wait");
        }
    }

    /** Options with {@link Acquisition#LEASE} that keep only the record of a failed event. */
    public ConsumeOptions(
            Duration lockTtl,
            boolean waitIfInProgress,
            Duration waitMax,
            int maxRetry,
            Duration baseBackoff,
            Duration maxBackoff) {
        this(lockTtl, waitIfInProgress, waitMax, maxRetry, baseBackoff, maxBackoff, Acquisition.LEASE, false);
    }

    /** The defaults, with a lease. */
    public static ConsumeOptions defaults() {
        return DEFAULTS;
    }

    /** The defaults, but one transaction and one commit for each event; see {@link Acquisition#TRANSACTION}. */
    public static ConsumeOptions inOneTransaction() {
        return DEFAULTS.withAcquisition(Acquisition.TRANSACTION);
    }

    /**
     * One transaction for each event and no backoff: for a sender that redelivers failed events on its own schedule, such as the outbox's
     * dispatcher. With backoff on both sides the sender would use up its attempts on events that are not yet due.
     */
    public static ConsumeOptions retriedBySender() {
        return inOneTransaction().withBackoff(Duration.ZERO, Duration.ZERO);
    }

    public ConsumeOptions withLockTtl(Duration lockTtl) {
        return new ConsumeOptions(
                lockTtl, waitIfInProgress, waitMax, maxRetry, baseBackoff, maxBackoff, acquisition, keepFailedEvents);
    }

    /** Waits for the outcome when somebody else is handling the event. */
    public ConsumeOptions waitingUpTo(Duration waitMax) {
        return new ConsumeOptions(
                lockTtl, true, waitMax, maxRetry, baseBackoff, maxBackoff, acquisition, keepFailedEvents);
    }

    public ConsumeOptions withMaxRetry(int maxRetry) {
        return new ConsumeOptions(
                lockTtl, waitIfInProgress, waitMax, maxRetry, baseBackoff, maxBackoff, acquisition, keepFailedEvents);
    }

    public ConsumeOptions withBackoff(Duration baseBackoff, Duration maxBackoff) {
        return new ConsumeOptions(
                lockTtl, waitIfInProgress, waitMax, maxRetry, baseBackoff, maxBackoff, acquisition, keepFailedEvents);
    }

    public ConsumeOptions withAcquisition(Acquisition acquisition) {
        return new ConsumeOptions(
                lockTtl, waitIfInProgress, waitMax, maxRetry, baseBackoff, maxBackoff, acquisition, keepFailedEvents);
    }

    /** Stores the whole event with the record of its failure. */
    public ConsumeOptions keepingFailedEvents() {
        return new ConsumeOptions(
                lockTtl, waitIfInProgress, waitMax, maxRetry, baseBackoff, maxBackoff, acquisition, true);
    }

    private static void requireWithin(Duration least, Duration value, String name) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    name + " must be between " + least + " and " + LONGEST + ", was " + value);
        }
    }
}
