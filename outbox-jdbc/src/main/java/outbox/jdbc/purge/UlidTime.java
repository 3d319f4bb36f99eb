package outbox.jdbc.purge;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The first ten characters of a ULID: milliseconds in Crockford's base 32, which sort as the times do. */
final class UlidTime {

    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final int LENGTH = 10;
    private static final int BITS_PER_CHAR = 5;

    private UlidTime() {}

    /** The smallest beginning of all ULIDs of that millisecond. */
    static String prefix(Instant time) {
        long millis = time.toEpochMilli();
        char[] chars = new char[LENGTH];
        for (int i = LENGTH - 1; i >= 0; i--) {
            chars[i] = ALPHABET.charAt((int) (millis & 31));
            millis >>>= BITS_PER_CHAR;
        }
        return new String(chars);
    }

    /** The time in an id that begins as a ULID does; null for any other. */
    static @Nullable Instant of(String id) {
        if (id.length() < LENGTH) {
            return null;
        }
        long millis = 0;
        for (int i = 0; i < LENGTH; i++) {
            int digit = ALPHABET.indexOf(id.charAt(i));
            if (digit < 0) {
                return null;
            }
            millis = (millis << BITS_PER_CHAR) | digit;
        }
        return Instant.ofEpochMilli(millis);
    }
}
