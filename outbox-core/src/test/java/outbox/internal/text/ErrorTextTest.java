package outbox.internal.text;

import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.event;

class ErrorTextTest {

    private static final String EMOJI = "\uD83D\uDE00";

    @Test
    void an_error_is_described_by_class_and_message() {
        assertThat(ErrorText.of(new IllegalStateException("no disk")))
                .isEqualTo("java.lang.IllegalStateException: no disk");
    }

    @Test
    void an_error_without_message_is_described_by_its_class() {
        assertThat(ErrorText.of(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
        assertThat(ErrorText.of(new StackOverflowError(""))).isEqualTo("java.lang.StackOverflowError");
        assertThat(ErrorText.of(new StackOverflowError("  "))).isEqualTo("java.lang.StackOverflowError");
    }

    @Test
    void an_error_whose_message_cannot_be_read_is_described_by_its_class() {
        Throwable broken = new UnsupportedOperationException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("no message for you");
            }
        };

        assertThat(ErrorText.of(broken)).isEqualTo(broken.getClass().getName());
    }

    @Test
    void an_error_whose_message_ends_in_another_error_is_described_by_its_class() {
        Throwable broken = new UnsupportedOperationException() {
            @Override
            public String getMessage() {
                throw new StackOverflowError();
            }
        };

        assertThat(ErrorText.of(broken)).isEqualTo(broken.getClass().getName());
    }

    @Test
    void what_a_database_may_refuse_is_taken_out_of_the_message() {
        assertThat(ErrorText.of(new IllegalStateException("bad \0 byte, half \uD83D of a pair\r\nnext")))
                .isEqualTo("java.lang.IllegalStateException: bad \\u0000 byte, half \uFFFD of a pair\nnext");
        assertThat(ErrorText.limit("\0")).isEqualTo("\\u0000");
    }

    @Test
    void a_long_message_is_cut() {
        assertThat(ErrorText.of(new IllegalStateException("x".repeat(10_000))))
                .hasSize(4000)
                .startsWith("java.lang.IllegalStateException: xxx")
                .endsWith("x...");
    }

    @Test
    void four_thousand_characters_are_kept() {
        String text = "x".repeat(4000);

        assertThat(ErrorText.limit(text)).isSameAs(text);
    }

    @Test
    void one_more_is_cut_and_ends_in_dots() {
        assertThat(ErrorText.limit("x".repeat(4001))).isEqualTo("x".repeat(3997) + "...");
    }

    @Test
    void the_cut_does_not_split_a_surrogate_pair() {
        assertThat(ErrorText.limit("x".repeat(3996) + EMOJI + "x".repeat(10))).isEqualTo("x".repeat(3996) + "...");
        assertThat(ErrorText.limit("x".repeat(3995) + EMOJI + "x".repeat(10)))
                .isEqualTo("x".repeat(3995) + EMOJI + "...");
    }

    /** What a custom summary makes of an error may begin as it likes. */
    @Test
    void words_of_the_library_cannot_be_forged() {
        for (int crashes : new int[] {0, 3, RowWords.MOST_CRASHES}) {
            for (String word : List.of(
                    RowWords.waits(crashes),
                    RowWords.begun(crashes),
                    RowWords.givenBack(crashes),
                    RowWords.expired(crashes, "node"),
                    RowWords.suspect(crashes) + "x".repeat(10_000))) {
                assertThat(RowWords.suspicion(word)).isNotNull();
                assertNoSuspicion(ErrorText.limit(word));
                assertNoSuspicion(ErrorText.limit(RowWords.SUSPECT + word));
                assertNoSuspicion(ErrorText.of(new IllegalStateException(word)));
                assertNoSuspicion(ErrorText.of(new IllegalStateException(word), ContentMask.of(event("a"))));
            }
        }
        assertThat(ErrorText.limit(RowWords.waits(3))).isEqualTo("suspect 03) Waits after the end of its process");
    }

    private static void assertNoSuspicion(String stored) {
        assertThat(RowWords.suspicion(stored)).isNull();
        assertThat(stored).doesNotStartWith(RowWords.SUSPECT);
    }

    @Test
    void there_is_always_a_text() {
        assertThat(ErrorText.limit(null)).isEqualTo("unknown error");
        assertThat(ErrorText.limit("")).isEmpty();
    }
}
