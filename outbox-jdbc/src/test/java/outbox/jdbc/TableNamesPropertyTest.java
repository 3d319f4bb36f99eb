package outbox.jdbc;

import java.util.Random;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Whatever is given as a name: what is accepted cannot leave its place in SQL. */
class TableNamesPropertyTest {

    private static final int TIMES = 20_000;

    private static final String LETTERS = "abcxyzABCXYZ_0123456789";

    /** Among them letters and digits that are none in SQL, and characters that look like nothing. */
    private static final String OTHERS = " .;,'\"`-/*()[]$#@\\%\n\r\t\0éßıſK１٣\u00a0\u200b\u202e\ufeff\ud83d\ude00";

    private static String anyName(Random random) {
        StringBuilder name = new StringBuilder();
        for (int length = random.nextInt(8); length > 0; length--) {
            name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        for (int others = random.nextInt(3); others > 0; others--) {
            char other = random.nextBoolean()
                    ? OTHERS.charAt(random.nextInt(OTHERS.length()))
                    : (char) random.nextInt(0x10000);
            name.insert(random.nextInt(name.length() + 1), other);
        }
        return name.toString();
    }

    /** Spelled out, so as not to repeat the pattern. */
    private static boolean isPlain(String name) {
        return !name.isEmpty()
                && !(name.charAt(0) >= '0' && name.charAt(0) <= '9')
                && name.chars()
                        .allMatch(c ->
                                c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
    }

    @Test
    void exactly_the_plain_identifiers_are_accepted() {
        Long only = Long.getLong("outbox.test.seed");
        long first = only == null ? System.nanoTime() : only;
        int accepted = 0;
        int seeds = only == null ? TIMES : 1;
        for (long seed = first; seed != first + seeds; seed++) {
            try {
                accepted += check(new Random(seed)) ? 1 : 0;
            } catch (Throwable e) {
                throw new AssertionError("Failed; run it alone with -Doutbox.test.seed=" + seed, e);
            }
        }
        assertThat(accepted).as("names tried of both kinds").isBetween(only == null ? TIMES / 10 : 0, TIMES * 9 / 10);
    }

    /** Returns whether the name was accepted. */
    private static boolean check(Random random) {
        String name = anyName(random);
        if (!isPlain(name)) {
            assertThatIllegalArgumentException().isThrownBy(() -> TableNames.validate(name));
            assertThatIllegalArgumentException().isThrownBy(() -> TableName.of(name));
            assertThatIllegalArgumentException().isThrownBy(() -> TableName.of(name, "outbox"));
            assertThatIllegalArgumentException().isThrownBy(() -> TableName.of("schema", name));
            return false;
        }
        assertThat(TableNames.validate(name)).isSameAs(name);
        assertThat(TableName.of(name)).hasToString(name);
        assertThat(TableName.of(name, name)).hasToString(name + "." + name);
        if (random.nextInt(50) == 0) {
            assertThat(OutboxSchema.script("h2", TableName.of(name)))
                    .contains("CREATE TABLE IF NOT EXISTS " + name + " (");
        }
        return true;
    }
}
