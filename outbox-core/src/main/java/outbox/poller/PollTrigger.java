package outbox.poller;

import java.time.Instant;

/** Asks a poller for a poll before its interval has passed. Thread-safe; requests that come together share one poll. */
public interface PollTrigger {

    /** Polls as soon as possible. A request that comes while a poll is under way leads to another one. */
    void pollNow();

    /** Polls as soon as possible after the given time. */
    void pollAt(Instant due);
}
