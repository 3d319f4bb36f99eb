package outbox.testsupport;

import java.util.Random;

/** Texts that nobody would write. */
public final class RandomText {

    private static final String SPECIAL =
            "\"\\/{}[]:,.'`;-_ \t\r\n\b\f\0\u001f\u007f\u0085\u00a0\u2028\u2029\ufeff\uffff";

    private RandomText() {}

    /** Text that has a UTF-8 form: any character but half a surrogate pair. */
    public static String unicode(Random random, int maxLength) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(maxLength + 1);
        while (text.length() < length) {
            int c = codePoint(random);
            if (text.length() + Character.charCount(c) <= length) {
                text.appendCodePoint(c);
            }
        }
        return text.toString();
    }

    /** Any sequence of characters, including those without a UTF-8 form. */
    public static String anything(Random random, int maxLength) {
        StringBuilder text = new StringBuilder(unicode(random, maxLength));
        for (int broken = random.nextInt(3); broken > 0; broken--) {
            text.insert(random.nextInt(text.length() + 1), (char) (Character.MIN_SURROGATE + random.nextInt(0x800)));
        }
        return text.toString();
    }

    /** Text of the given characters only. */
    public static String of(String alphabet, Random random, int maxLength) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(maxLength + 1); length > 0; length--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    /** Whether every half of a surrogate pair has its other half. */
    public static boolean isPaired(String text) {
        return text.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    private static int codePoint(Random random) {
        int kind = random.nextInt(4);
        if (kind == 0) {
            return SPECIAL.charAt(random.nextInt(SPECIAL.length()));
        }
        int c = random.nextInt(kind == 1 ? 0x80 : kind == 2 ? 0x10000 : Character.MAX_CODE_POINT + 1);
        return Character.isBmpCodePoint(c) && Character.isSurrogate((char) c) ? 'x' : c;
    }
}
