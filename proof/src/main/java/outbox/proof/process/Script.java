package outbox.proof.process;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;
import outbox.proof.history.Fate;

/**
 * How whoever takes an event behaves; the beginning of its payload, which is filled up to some size.
 *
 * @param failures how often it fails before it is well
 * @param slowMillis how long it takes
 */
public record Script(Fate fate, int failures, int slowMillis) {

    private static final int LARGEST = 1_000_000;
    private static final int LARGE = 50_000;
    private static final int USUAL = 500;

    /** A script for a new event. */
    public static Script random(Random random) {
        return new Script(
                random.nextInt(400) == 0 ? Fate.POISON : Fate.WELL,
                random.nextInt(40) == 0 ? 1 + random.nextInt(2) : 0,
                random.nextInt(100) == 0 ? random.nextInt(60) : 0);
    }

    /** A payload of ten bytes to a million, small ones much more often. */
    public String payload(Random random) {
        String head = fate.name().charAt(0) + "" + failures + String.format("%02d", slowMillis);
        return "\"" + head + "x".repeat(size(random)) + "\"";
    }

    private static int size(Random random) {
        int dice = random.nextInt(1_000);
        if (dice == 0) {
            return random.nextInt(LARGEST);
        }
        return random.nextInt(dice < 20 ? LARGE : USUAL) + 4;
    }

    /** The script of an event with that payload. */
    public static Script of(String payload) {
        return new Script(
                payload.charAt(1) == 'P' ? Fate.POISON : Fate.WELL,
                payload.charAt(2) - '0',
                Integer.parseInt(payload, 3, 5, 10));
    }

    /** A checksum. */
    public static long sum(String payload) {
        CRC32 sum = new CRC32();
        sum.update(payload.getBytes(StandardCharsets.UTF_8));
        return sum.getValue();
    }
}
