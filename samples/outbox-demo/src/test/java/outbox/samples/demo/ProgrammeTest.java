package outbox.samples.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class ProgrammeTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Printout out = Printout.on(new PrintStream(printed, true, StandardCharsets.UTF_8));

    @TempDir
    Path workDirectory;

    private LogFile log;

    @BeforeEach
    void openLog() throws Exception {
        log = LogFile.in(workDirectory);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void every_chapter_keeps_its_promise_by_the_counts_of_its_own_tables() {
        Programme programme = new Programme(Programme.chapters(), workDirectory, out);

        assertThat(programme.play()).isEmpty();

        Map<String, Tally> tallies = programme.tallies();
        assertThat(tallies)
                .containsOnlyKeys("delivery", "rollback", "retry", "poison", "burst", "crash")
                .allSatisfy((chapter, tally) -> {
                    assertThat(tally.committed()).isPositive().isEqualTo(tally.delivered());
                    assertThat(tally.brokenPromises()).isEmpty();
                })
                .containsEntry("rollback", new Tally(1, 1, 0, 0, 0, 0, 0, 0))
                .containsEntry("retry", new Tally(1, 1, 1, 0, 0, 0, 0, 0))
                .containsEntry("poison", new Tally(6, 6, 1, 1, 0, 0, 0, 0))
                .hasEntrySatisfying("crash", tally -> {
                    assertThat(tally.committed()).isEqualTo(DoomedShop.ORDERS);
                    // At least the one that was being delivered at the kill, at most all that had been.
                    assertThat(tally.twice()).isBetween(1L, (long) DoomedShop.DELIVERED);
                });
    }

    @Test
    void a_chapter_that_loses_an_order_is_found_out_and_the_next_one_is_still_played() {
        Programme programme = new Programme(
                List.of(
                        chapter("forgetful", stage -> sellWithoutEvent(stage.database())),
                        chapter("failing", stage -> {
                            throw new IllegalStateException("no warehouse");
                        }),
                        chapter("harmless", stage -> {})),
                workDirectory,
                out);

        assertThat(programme.play())
                .containsExactly(
                        "forgetful: 1 committed order(s) without a delivery",
                        "failing: java.lang.IllegalStateException: no warehouse");
        assertThat(programme.tallies()).containsEntry("harmless", Tally.NOTHING);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("BROKEN: 1 committed order(s) without a delivery");
    }

    private static void sellWithoutEvent(Database database) throws Exception {
        database.update("INSERT INTO orders VALUES ('forgotten', 'teapot', 1, 2490)");
    }

    @FunctionalInterface
    private interface Play {
        void on(Stage stage) throws Exception;
    }

    private static Chapter chapter(String name, Play play) {
        return new Chapter() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public String title() {
                return name;
            }

            @Override
            public void play(Stage stage) throws Exception {
                play.on(stage);
            }
        };
    }
}
