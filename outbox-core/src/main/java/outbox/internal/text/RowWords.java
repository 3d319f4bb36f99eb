package outbox.internal.text;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.OrderedStore;

/**
 * All words that the library itself puts into the columns {@code locked_by} and {@code last_error}, so that fifteen columns suffice. Those of
 * {@code last_error} that it reads again begin with {@link #SUSPECT}; what listeners say never does, see {@link ErrorText}. The others are for
 * people.
 */
public final class RowWords {

    /** In {@code locked_by} of a DEAD event: later events of its key must wait for a person. */
    public static final String HOLDS_KEY = OrderedStore.KEY_HELD;

    /** In {@code locked_by} of a due event that was put off, because an earlier one of its key cannot be delivered for a while. */
    public static final String PARKED = "(waits for its key)";

    /** With which {@code last_error} begins while an event is a suspect; two digits and a bracket follow, then one of the words below. */
    public static final String SUSPECT = "(suspect ";

    /** The length of {@link #SUSPECT} with its number and the space behind it. */
    public static final int SUSPECT_LENGTH = SUSPECT.length() + "00) ".length();

    /** A claim took it from an owner who had let its lease expire; the name of the owner follows. */
    public static final String EXPIRED = "Lease expired, owner ";

    /** The error of an event that ended without one of its own. */
    public static final String USED_UP = LeaseStore.USED_UP;

    /** The error of an event that was found by a process in which nobody listens to it, and is to be found again later. */
    public static final String NO_LISTENER =
            "No listener in the process that has found it last; it is put off, without counting an attempt";

    /** What is stored of an error of whose text the database takes nothing. */
    public static final String TEXT_REFUSED = "(error text refused by the database)";

    /** What is stored of a failure of which nothing is known. */
    public static final String UNKNOWN_ERROR = "unknown error";

    private static final String CANNOT_BE_DECODED = "Cannot be decoded: ";

    private static final String WAITS = "Waits after the end of its process";
    private static final String BEGUN = "Delivery begun after its lease had expired";
    private static final String GIVEN_BACK = "Given back before its delivery began";

    /** With which {@code last_error} of a DEAD event begins that was not worth delivering any more. */
    public static final String TOO_OLD = "(too old) ";

    /** In {@code last_error} of an event that is put off because an earlier call of its listener has not ended. */
    public static final String CALL_NOT_ENDED =
            "An earlier call of its listener has not ended in the process that has found it last; it is put off, without counting an attempt";

    /** With which {@code last_error} of a DONE event begins that was not delivered, because there was a newer one of its key. */
    public static final String SUPERSEDED = "(superseded) ";

    /** With which {@code last_error} of a leased event begins of which a newer one was about to be delivered. */
    public static final String OUTDATED = "(outdated) ";

    /** More crashes than this cannot be written down. */
    public static final int MOST_CRASHES = 99;

    private static final Pattern SUSPECTED = Pattern.compile("\\(suspect (\\d\\d)\\) (.*)", Pattern.DOTALL);

    private RowWords() {}

    /** What the row of a DEAD event says that was older than that when it was to be delivered. */
    public static String tooOld(Duration expiry) {
        return TOO_OLD + "It was older than " + expiry + " when it was to be delivered";
    }

    /** Whether a DEAD event was merely too old. */
    public static boolean isTooOld(@Nullable String lastError) {
        return lastError != null && lastError.startsWith(TOO_OLD);
    }

    /** What the row of an event says that was not delivered, because there was a newer one of its key. */
    public static String superseded() {
        return SUPERSEDED + "A newer event of its key and type was there before its delivery began";
    }

    /** What the row of a leased event says of which a newer one was about to be delivered. */
    public static String outdated() {
        return OUTDATED + "A newer event of its key and type was there while it was leased";
    }

    /** What the row says while a suspect waits for its next delivery. */
    public static String waits(int crashes) {
        return suspect(crashes) + WAITS;
    }

    /** What the row says from the moment at which the delivery of a suspect begins. */
    public static String begun(int crashes) {
        return suspect(crashes) + BEGUN;
    }

    /** What the row says when the delivery of a suspect did not begin after all. */
    public static String givenBack(int crashes) {
        return suspect(crashes) + GIVEN_BACK;
    }

    /** What the row says when it is taken over from an owner that is gone. */
    public static String expired(int crashes, @Nullable String owner) {
        return suspect(crashes) + EXPIRED + (owner == null ? "unknown" : owner);
    }

    /** The error of an event that has ended its process too often. */
    public static String endedItsProcess(int crashes) {
        return "Its process ended during each of " + crashes + " deliveries in a row that were written down;"
                + " nothing else is known of them";
    }

    /** The error of an event whose row cannot be read. */
    public static String cannotBeDecoded(String problem) {
        return CANNOT_BE_DECODED + problem;
    }

    /** The beginning of the text, with the number of crashes. */
    public static String suspect(int crashes) {
        return String.format(Locale.ROOT, "%s%02d) ", SUSPECT, Math.min(crashes, MOST_CRASHES));
    }

    /** What an error text of a pending row tells of a suspicion; null if it tells nothing. */
    public static @Nullable Suspicion suspicion(@Nullable String lastError) {
        Matcher words = SUSPECTED.matcher(lastError == null ? "" : lastError);
        return words.matches()
                ? new Suspicion(Integer.parseInt(words.group(1)), words.group(2).startsWith(WAITS))
                : null;
    }

    /** The text, so that it is not read as a word of ours. */
    static String withoutWords(String text) {
        return Stream.of(SUSPECT, TOO_OLD, SUPERSEDED, OUTDATED).anyMatch(text::startsWith) ? text.substring(1) : text;
    }
}
