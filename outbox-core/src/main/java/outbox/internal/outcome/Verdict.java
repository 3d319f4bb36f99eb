package outbox.internal.outcome;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.RowWords;

/** What has become of a delivery, to be written to the table. */
public sealed interface Verdict {

    Done DONE = new Done();

    Superseded SUPERSEDED = new Superseded();

    /** The same outcome with no more of its error than every database takes. */
    Verdict withoutText();

    record Done() implements Verdict {

        @Override
        public Verdict withoutText() {
            return this;
        }
    }

    /** Not delivered, because there was a newer event of its key and type, and ended all the same. */
    record Superseded() implements Verdict {

        @Override
        public Verdict withoutText() {
            return this;
        }
    }

    /** To be repeated at a time, or after a delay for a store that counts it by its own clock. */
    record Retry(Instant nextAt, Duration delay, String error) implements Verdict {

        @Override
        public Verdict withoutText() {
            return new Retry(nextAt, delay, withoutRefused(error));
        }
    }

    /**
     * To be repeated as {@link Retry}, without counting the delivery as an attempt: it is not the event's fault that it has not succeeded, or it
     * was not delivered at all.
     */
    record Later(Instant nextAt, Duration delay, String error) implements Verdict {

        @Override
        public Verdict withoutText() {
            return new Later(nextAt, delay, withoutRefused(error));
        }
    }

    /**
     * A suspect that is to be delivered later.
     *
     * @param crashes how often its process ended in a row
     * @param forOthers whether it waits for other suspects; otherwise because its process ended
     */
    record Postponed(Duration delay, int crashes, boolean forOthers) implements Verdict {

        /** One that waits because its process ended. */
        public Postponed(Duration delay, int crashes) {
            this(delay, crashes, false);
        }

        @Override
        public Verdict withoutText() {
            return this;
        }
    }

    /**
     * Not to be repeated; without an error if the row has one already.
     *
     * @param holdsKey whether later events of its key must wait for a person
     */
    record Dead(@Nullable String error, boolean holdsKey) implements Verdict {

        /** One that keeps nobody waiting. */
        public Dead(@Nullable String error) {
            this(error, false);
        }

        @Override
        public Verdict withoutText() {
            return error == null ? this : new Dead(withoutRefused(error), holdsKey);
        }
    }

    /** The class name with which texts begin, if it is one that every database takes. */
    Pattern LEADING_CLASS_NAME = Pattern.compile("([A-Za-z0-9_.$]{1,100})(:.*)?", Pattern.DOTALL);

    private static String withoutRefused(String error) {
        Matcher name = LEADING_CLASS_NAME.matcher(error);
        return name.matches() ? name.group(1) : RowWords.TEXT_REFUSED;
    }
}
