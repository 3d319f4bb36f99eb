package outbox.benchmarks.candidate;

/**
 * The event that all candidates carry: a JSON text of {@value #PAYLOAD_LENGTH} characters with the event's number at a fixed
 * place, so that a listener can tell which one it got at next to no cost.
 *
 * @param number counts from 0 within one measurement
 */
public record BenchEvent(int number) {

    static final int PAYLOAD_LENGTH = 250;

    private static final String BEFORE_NUMBER = "{\"number\":\"";
    private static final int DIGITS = 10;
    private static final String AFTER_NUMBER = "\",\"customer\":\"Ada Lovelace\",\"note\":\"";
    private static final String END = "\"}";
    private static final String TAIL = AFTER_NUMBER
            + "x".repeat(PAYLOAD_LENGTH - BEFORE_NUMBER.length() - DIGITS - AFTER_NUMBER.length() - END.length())
            + END;

    /** The event as JSON. */
    public String payload() {
        return BEFORE_NUMBER + digits(number) + TAIL;
    }

    /** An id of 26 characters, as long as a ULID and as well sorted. */
    public String id() {
        return "EVENT-0000000000" + digits(number);
    }

    /** The number of the event that has this payload. */
    public static int numberIn(String payload) {
        return Integer.parseInt(payload, BEFORE_NUMBER.length(), BEFORE_NUMBER.length() + DIGITS, 10);
    }

    private static String digits(int number) {
        char[] digits = new char[DIGITS];
        int rest = number;
        for (int i = DIGITS - 1; i >= 0; i--) {
            digits[i] = (char) ('0' + rest % 10);
            rest /= 10;
        }
        return new String(digits);
    }
}
