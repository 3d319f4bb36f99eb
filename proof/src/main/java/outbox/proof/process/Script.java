package outbox.proof.process;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import outbox.proof.history.Fate;

/**
 * How whoever takes an event behaves; the beginning of its payload, which is filled up to some size.
 *
 * @param failures how often it fails before it is well
 * @param slowMillis how long it takes
 * @param badText whether it fails with a message that a database may refuse
 */
public record Script(Fate fate, int failures, int slowMillis, boolean badText) {

    /** Of an event that arrives at once. */
    public static final Script PROMPT = new Script(Fate.WELL, 0, 0, false);

    /** Of an event that ends whoever delivers it. */
    public static final Script KILLER = new Script(Fate.KILLER, 0, 0, false);

    private static final int PIECE = 8 * 1024;
    private static final char BAD_TEXT = 'b';
    private static final int LARGEST = 1_000_000;
    private static final int LARGE = 50_000;
    private static final int USUAL = 500;
    private static final int SHORTEST = 4;

    /** A script for a new event. */
    public static Script random(Random random) {
        return new Script(
                random.nextInt(400) == 0 ? Fate.POISON : Fate.WELL,
                random.nextInt(40) == 0 ? 1 + random.nextInt(2) : 0,
                random.nextInt(100) == 0 ? random.nextInt(60) : 0,
                false);
    }

    /** A script for a new event where dead ones have consequences; more of them die, and those that hold their account may be cured. */
    public static Script randomWhereKeysAreHeld(Random random, boolean held) {
        Script usual = random(random);
        if (random.nextInt(50) != 0) {
            return new Script(Fate.WELL, usual.failures, usual.slowMillis, false);
        }
        return new Script(held && random.nextBoolean() ? Fate.CURABLE : Fate.POISON, 0, usual.slowMillis, false);
    }

    /** A script for a new event that fails, some for ever, with a message that is not a text to every database. */
    public static Script failingWithBadText(Random random) {
        return new Script(random.nextInt(8) == 0 ? Fate.POISON : Fate.WELL, 1 + random.nextInt(2), 0, true);
    }

    /** A script for the first event of a backlog: it dies, and may be cured. */
    public static Script headOfBacklog(Random random) {
        return new Script(random.nextBoolean() ? Fate.CURABLE : Fate.POISON, 0, 0, false);
    }

    /** A script for an event that waits behind that one: arrives, a few after a failure. */
    public static Script followerInBacklog(Random random) {
        return new Script(Fate.WELL, random.nextInt(200) == 0 ? 1 : 0, 0, false);
    }

    /** A payload of ten bytes to a million, small ones much more often. */
    public String payload(Random random) {
        return payload(size(random));
    }

    /** The shortest payload. */
    public String shortPayload() {
        return payload(SHORTEST);
    }

    /** A payload of nearly a million bytes. */
    public String largePayload(Random random) {
        return payload(LARGEST - random.nextInt(LARGE));
    }

    private String payload(int size) {
        String head = fate.name().charAt(0) + "" + failures + String.format(Locale.ROOT, "%02d", slowMillis);
        return "\"" + head + (badText ? BAD_TEXT : '-') + "x".repeat(size) + "\"";
    }

    private static int size(Random random) {
        int dice = random.nextInt(1_000);
        if (dice == 0) {
            return random.nextInt(LARGEST);
        }
        return random.nextInt(dice < 20 ? LARGE : USUAL) + SHORTEST;
    }

    /** The script of an event with that payload. */
    public static Script of(String payload) {
        return new Script(
                fate(payload.charAt(1)),
                payload.charAt(2) - '0',
                Integer.parseInt(payload, 3, 5, 10),
                payload.charAt(5) == BAD_TEXT);
    }

    private static Fate fate(char initial) {
        return Stream.of(Fate.values())
                .filter(fate -> fate.name().charAt(0) == initial)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no fate begins with " + initial));
    }

    /** A checksum. */
    public static long sum(String payload) {
        CRC32 sum = new CRC32();
        for (int from = 0; from < payload.length(); from += PIECE) { // as a whole, it would take as much memory again
            int to = Math.min(payload.length(), from + PIECE);
            sum.update(payload.substring(from, to).getBytes(StandardCharsets.UTF_8));
        }
        return sum.getValue();
    }
}
