package outbox.proof.process;

import java.util.List;

/** Messages of exceptions that are texts to Java, but not to every database. */
final class BadText {

    private static final List<String> ALL = List.of(
            "a NUL \u0000 in the middle",
            "\u0000",
            "a NUL behind much else " + "x".repeat(3_900) + "\u0000",
            "half a pair \uD83D at its beginning",
            "half a pair \uDE00 at its end",
            "\uDE00\uD83D",
            "controls \u0001\u0007\u0008\u001B[31m\u007F\u0085\uFFFE\uFFFF",
            "very long " + "x".repeat(200_000),
            "very long in bytes " + "\u20AC".repeat(20_000),
            "pairs where it is cut " + "\uD83D\uDE00".repeat(3_000),
            "cut pairs and NUL " + "\uD83D\u0000\uDE00".repeat(2_000));

    private BadText() {}

    /** The one that a number stands for. */
    static String of(int number) {
        return ALL.get(Math.floorMod(number, ALL.size()));
    }
}
