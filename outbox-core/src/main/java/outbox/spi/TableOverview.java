package outbox.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much waits in a table, and for how long.
 *
 * @param oldestDue how long the event has been due that waits longest, by the clock that decides what is due; null if none is. Left out are
 *     events that wait for a key that a DEAD event holds; if there are too many of those to look behind all of them, it is how long it may be
 *     at most
 * @param dead DEAD events, counted up to a limit
 * @param pending events that are NEW or RETRY, counted up to a limit
 */
public record TableOverview(@Nullable Duration oldestDue, OutboxStore.DeadCount dead, int pending) {}
