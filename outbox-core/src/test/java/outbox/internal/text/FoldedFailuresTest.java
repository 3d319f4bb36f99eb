package outbox.internal.text;

import java.lang.System.Logger.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.internal.text.FoldedFailures.Kind;
import outbox.testsupport.CapturedLog;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

class FoldedFailuresTest {

    private static final Kind ONE = new Kind(Level.WARNING, "failures of one", "java.io.IOException");
    private static final Kind OTHER = new Kind(Level.ERROR, "failures of another", "java.io.IOException");

    private final CapturedLog log = new CapturedLog();
    private long now = Long.MAX_VALUE - 1_000; // overflows on the way
    private final FoldedFailures folded = new FoldedFailures(SafeLog.of(FoldedFailures.class), () -> now);

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    private void pass(long seconds) {
        now += SECONDS.toNanos(seconds);
    }

    @Test
    void the_first_of_each_kind_is_told_and_the_others_are_counted() {
        assertThat(folded.next(ONE)).isZero();
        assertThat(folded.next(ONE)).isEqualTo(FoldedFailures.COUNTED);
        assertThat(folded.next(OTHER)).isZero();
        assertThat(folded.next(ONE)).isEqualTo(FoldedFailures.COUNTED);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void a_flood_is_one_line_a_minute_with_the_number_of_the_others() {
        long told = 0;
        long counted = 0;
        for (int second = 0; second < 600; second++) {
            long others = folded.next(ONE);
            told += others == FoldedFailures.COUNTED ? 0 : 1;
            counted += Math.max(0, others);
            folded.tick();
            pass(1);
        }
        assertThat(told).isEqualTo(10);
        assertThat(log.lines()).isEmpty();

        folded.close();
        assertThat(log.at(java.util.logging.Level.WARNING))
                .containsExactly("59 more like it in the last minute: failures of one, java.io.IOException");
        assertThat(told + counted + 59).as("nothing is swallowed").isEqualTo(600);
    }

    @Test
    void the_number_is_told_when_the_minute_is_over_and_no_other_failure_comes() {
        IntStream.range(0, 5).forEach(i -> folded.next(ONE));
        pass(60);
        folded.tick();
        assertThat(log.lines()).isEmpty();

        pass(5);
        folded.tick();
        assertThat(log.at(java.util.logging.Level.WARNING))
                .containsExactly("4 more like it in the last minute: failures of one, java.io.IOException");
        folded.tick();
        folded.close();
        assertThat(log.lines()).hasSize(1);
        assertThat(folded.next(ONE)).as("told in full again").isZero();
    }

    @Test
    void one_that_was_alone_has_no_number() {
        folded.next(ONE);
        pass(600);
        folded.tick();
        folded.close();

        assertThat(log.lines()).isEmpty();
    }

    @Test
    void very_many_kinds_take_no_memory_and_are_counted_together() {
        for (int i = 0; i < FoldedFailures.MOST_KINDS; i++) {
            assertThat(folded.next(kind(i))).isZero();
        }
        assertThat(folded.next(kind(-1))).as("the first of the others is told").isZero();
        for (int i = FoldedFailures.MOST_KINDS; i < 10_000; i++) {
            assertThat(folded.next(kind(i))).isEqualTo(FoldedFailures.COUNTED);
        }

        folded.close();
        assertThat(log.at(java.util.logging.Level.WARNING))
                .containsExactly((10_000 - FoldedFailures.MOST_KINDS)
                        + " more like it in the last minute: failures, of many kinds");
        assertThat(folded.next(kind(10_001))).as("there is a place again").isZero();
    }

    private static Kind kind(int number) {
        return new Kind(Level.WARNING, "failures " + number, "");
    }

    @Test
    void errors_are_the_same_by_class_cause_and_place_and_whatever_their_message_says() {
        assertThat(IntStream.range(0, 3).mapToObj(FoldedFailuresTest::broken).distinct())
                .hasSize(1);
        assertThat(Fingerprint.of(new IllegalStateException("x")))
                .as("another place")
                .isNotEqualTo(broken(0));
        assertThat(broken(0)).doesNotContain("order").contains("caused by java.io.IOException");
        assertThat(Fingerprint.of(new StackLess())).isEqualTo(StackLess.class.getName());
        Exception first = new Exception();
        assertThat(Fingerprint.of(new Exception(first.initCause(new Exception(first)))))
                .contains("caused by");
    }

    private static String broken(int number) {
        return Fingerprint.of(
                new IllegalStateException("order " + number, new java.io.IOException("of order " + number)));
    }

    private static final class StackLess extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private StackLess() {
            super("no stack", null, false, false);
        }
    }
}
