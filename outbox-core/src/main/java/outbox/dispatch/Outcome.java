package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What has become of a delivery, to be written to the table. */
sealed interface Outcome {

    Done DONE = new Done();

    /** The same outcome with no more of its error than every database takes. */
    Outcome withoutText();

    record Done() implements Outcome {

        @Override
        public Outcome withoutText() {
            return this;
        }
    }

    /** To be repeated at a time, or after a delay for a store that counts it by its own clock. */
    record Retry(Instant nextAt, Duration delay, String error) implements Outcome {

        @Override
        public Outcome withoutText() {
            return new Retry(nextAt, delay, RefusedText.of(error));
        }
    }

    /**
     * Not to be repeated; without an error if the row has one already.
     *
     * @param holdsKey whether later events of its key must wait for a person
     */
    record Dead(@Nullable String error, boolean holdsKey) implements Outcome {

        /** One that keeps nobody waiting. */
        Dead(@Nullable String error) {
            this(error, false);
        }

        @Override
        public Outcome withoutText() {
            return error == null ? this : new Dead(RefusedText.of(error), holdsKey);
        }
    }
}
