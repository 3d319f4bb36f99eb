package outbox.proof.process;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Whose events there are: a few accounts have many of them, many have few. */
public final class Accounts {

    private static final int ALL = 2_000;
    private static final int HOT = 8;

    private Accounts() {}

    /** Their ids. */
    public static List<String> all() {
        return IntStream.range(0, ALL).mapToObj(Integer::toString).toList();
    }

    /** The one that a number stands for. */
    public static String of(int number) {
        return Integer.toString(Math.floorMod(number, ALL));
    }

    /** Whether it waits for a person when one of its events is dead, in an outbox that holds keys. */
    public static boolean isHeld(String account) {
        return Integer.parseInt(account) % 2 == 0;
    }

    /** Any that waits for a person, but none of the hot ones. */
    public static String randomHeld(Random random) {
        return Integer.toString(HOT + 2 * random.nextInt((ALL - HOT) / 2));
    }

    /** Any, hot ones more often. */
    public static String random(Random random) {
        return Integer.toString(random.nextInt(random.nextInt(5) == 0 ? HOT : ALL));
    }
}
