package outbox.model;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.internal.check.Require;

/**
 * Something that is paused: its events stay in the table.
 *
 * @param reason for whoever asks why nothing is delivered
 * @param who has paused it for all processes; null if it is paused in this process only
 * @param since when that was said; for all processes by the database's clock
 */
public record Pause(
        PauseTarget target, String reason, @Nullable String who, Instant since) {

    /** The most characters of a reason. */
    public static final int MOST_OF_REASON = 1_000;

    /** The most characters of who has paused something. */
    public static final int MOST_OF_WHO = 128;

    public Pause {
        Objects.requireNonNull(target, "target");
        requireText("reason", reason, MOST_OF_REASON);
        if (who != null) {
            requireText("who", who, MOST_OF_WHO);
        }
        Objects.requireNonNull(since, "since");
    }

    private static void requireText(String name, String value, int most) {
        Require.text(value, name);
        int length = value.codePointCount(0, value.length());
        if (length > most) {
            throw new IllegalArgumentException(
                    name + " of a pause must have " + most + " characters at most, had " + length);
        }
    }

    /** Whether it holds in all processes that deliver from the table. */
    public boolean isEverywhere() {
        return who != null;
    }

    /** Why, and for whom, in words; as many lines as these have. */
    @Override
    public String toString() {
        String scope = who == null
                ? " is paused in this process"
                : " is paused for all processes by " + who + " since " + since;
        return target + scope + ": " + reason;
    }
}
