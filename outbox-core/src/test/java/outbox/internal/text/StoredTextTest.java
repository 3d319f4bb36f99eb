package outbox.internal.text;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StoredTextTest {

    private static final String EMOJI = "\uD83D\uDE00";
    private static final char NUL = '\0';

    @Test
    void an_ordinary_text_is_left_as_it_is() {
        String text = "naïve 中文 " + EMOJI + " tab\t line\n next, noncharacter \uFFFE";

        assertThat(StoredText.fit(text, 100)).isSameAs(text);
    }

    @ParameterizedTest
    @CsvSource({"0, \\u0000", "1, \\u0001", "8, \\u0008", "13, \\u000d", "27, \\u001b", "127, \\u007f", "133, \\u0085"})
    void control_characters_are_written_out(int character, String writtenOut) {
        assertThat(StoredText.fit("a" + (char) character + "b", 100)).isEqualTo("a" + writtenOut + "b");
    }

    @Test
    void lines_end_as_on_unix() {
        assertThat(StoredText.fit("one\r\ntwo\r\r\nthree\n", 100)).isEqualTo("one\ntwo\\u000d\nthree\n");
    }

    @Test
    void a_surrogate_without_its_other_half_is_replaced() {
        assertThat(StoredText.fit("\uD83D", 9)).isEqualTo("\uFFFD");
        assertThat(StoredText.fit("\uDE00x", 9)).isEqualTo("\uFFFDx");
        assertThat(StoredText.fit("\uD83D" + EMOJI + "\uDE00", 9)).isEqualTo("\uFFFD" + EMOJI + "\uFFFD");
        assertThat(StoredText.fit("\uDE00\uD83D", 9)).isEqualTo("\uFFFD\uFFFD");
    }

    @Test
    void what_is_longer_is_cut_and_ends_in_dots() {
        assertThat(StoredText.fit("x".repeat(10), 10)).isEqualTo("x".repeat(10));
        assertThat(StoredText.fit("x".repeat(11), 10)).isEqualTo("x".repeat(7) + "...");
    }

    @Test
    void what_becomes_longer_by_being_written_out_is_cut_as_well() {
        assertThat(StoredText.fit(String.valueOf(NUL).repeat(2), 10)).isEqualTo("\\u0000\\...");
        assertThat(StoredText.fit("x".repeat(9) + NUL, 10)).isEqualTo("x".repeat(7) + "...");
    }

    @Test
    void a_cut_splits_no_pair() {
        assertThat(StoredText.fit(EMOJI.repeat(6), 10)).isEqualTo(EMOJI.repeat(3) + "...");
    }

    @Test
    void applied_twice_it_changes_nothing_more() {
        String once = StoredText.fit(("\uDE00" + NUL + EMOJI + "\r\n").repeat(20), 50);

        assertThat(StoredText.fit(once, 50)).isSameAs(once);
    }

    @Test
    void in_one_line_there_is_no_other_line() {
        assertThat(StoredText.inOneLine("failed\r\nERROR forged\u0085more\u000b"))
                .isEqualTo("failed\\nERROR forged\\u0085more\\u000b");
        assertThat(StoredText.inOneLine("plain")).isEqualTo("plain");
    }

    @Test
    void the_first_character_that_cannot_be_stored_is_found() {
        assertThat(StoredText.firstUnstorable("tab\t bell\u0007 " + EMOJI)).isEqualTo(-1);
        assertThat(StoredText.firstUnstorable("ab" + NUL + NUL)).isEqualTo(2);
        assertThat(StoredText.firstUnstorable(EMOJI + "\uD83D")).isEqualTo(2);
        assertThat(StoredText.firstUnstorable("\uDE00")).isZero();
    }

    @Test
    void what_must_be_stored_as_it_is_and_cannot_be_is_refused() {
        StoredText.requireStorable("name", "bell\u0007 " + EMOJI);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoredText.requireStorable("tenantId of event a\nb", "ab" + NUL))
                .withMessage("tenantId of event a\\nb must not contain U+0000, which not every database can store;"
                        + " found at index 2: leave it out or encode it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoredText.requireStorable("name", "\uDE00"))
                .withMessageContaining("half of a surrogate pair");
    }
}
