package outbox;

import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Makes ULIDs: 26 characters of Crockford's base 32, 48 bits of milliseconds followed by 80 random bits.
 *
 * <p>Each id is greater than the one before, whatever the threads and the clock do. Within a millisecond, and while the clock
 * stands behind the newest id, the random part counts up by one; when it is exhausted the time part moves ahead of the
 * clock instead. Fresh random bits are drawn only when the clock has moved on, so the cost of a strong random source is
 * paid at most about once a millisecond.
 */
final class UlidGenerator {

    private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final int LENGTH = 26;
    private static final int BITS_PER_CHAR = 5;
    private static final long HIGH_RANDOM_MASK = 0xFFFF;

    private final LongSupplier clockMillis;
    private final RandomGenerator random;
    private final AtomicReference<Ulid> last = new AtomicReference<>(new Ulid(-1, 0, 0));

    UlidGenerator() {
        this(System::currentTimeMillis, new SecureRandom());
    }

    UlidGenerator(LongSupplier clockMillis, RandomGenerator random) {
        this.clockMillis = clockMillis;
        this.random = random;
    }

    String next() {
        while (true) {
            Ulid previous = Objects.requireNonNull(last.get());
            long now = clockMillis.getAsLong();
            Ulid next = now > previous.millis ? freshAt(now) : previous.successor();
            if (last.compareAndSet(previous, next)) {
                return next.encode();
            }
        }
    }

    private Ulid freshAt(long millis) {
        return new Ulid(millis, random.nextLong() & HIGH_RANDOM_MASK, random.nextLong());
    }

    /** The 128 bits: milliseconds, then 16 and 64 random bits. */
    private record Ulid(long millis, long randomHigh, long randomLow) {

        Ulid successor() {
            long low = randomLow + 1;
            if (low != 0) {
                return new Ulid(millis, randomHigh, low);
            }
            long high = (randomHigh + 1) & HIGH_RANDOM_MASK;
            return new Ulid(high == 0 ? millis + 1 : millis, high, 0);
        }

        String encode() {
            char[] chars = new char[LENGTH];
            long high = (millis << 16) | randomHigh;
            long low = randomLow;
            for (int i = LENGTH - 1; i >= 0; i--) {
                chars[i] = ALPHABET[(int) (low & 31)];
                low = (low >>> BITS_PER_CHAR) | (high << (Long.SIZE - BITS_PER_CHAR));
                high >>>= BITS_PER_CHAR;
            }
            return new String(chars);
        }
    }
}
