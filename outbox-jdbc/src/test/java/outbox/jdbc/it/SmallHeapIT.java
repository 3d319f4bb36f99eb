package outbox.jdbc.it;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.testservers.ChildJvm;

import static org.assertj.core.api.Assertions.assertThat;

/** More events than fit into memory: all arrive, because no more are read and queued than fit. */
@Timeout(400)
class SmallHeapIT {

    private static final int EVENTS = 700;
    private static final String TABLE = "small_heap_outbox";

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;

    @Test
    void seven_hundred_events_of_a_mebibyte_arrive_once_each_in_a_heap_of_300_megabytes(@TempDir Path logs)
            throws Exception {
        Path log = logs.resolve("application.log");
        run("backlog", log);
        assertThat(log).content().doesNotContain("OutOfMemoryError");
    }

    /** Nobody knows how large the rows are before they are read; and their lease is so long that waiting for its end would be noticed. */
    @Test
    void large_events_that_come_all_at_once_after_many_small_ones_arrive_once_each_as_well(@TempDir Path logs)
            throws Exception {
        run("burst", logs.resolve("application.log"));
    }

    private void run(String scene, Path log) throws Exception {
        Tables.shipped(database, TABLE);
        TestedDatabase.Address address = database.database();
        List<String> arguments =
                List.of(address.url(), address.user(), address.password(), TABLE, Integer.toString(EVENTS), scene);
        try (ChildJvm application = ChildJvm.start(SmallHeapProgram.class, "-Xmx300m", arguments, log)) {
            application.await("written");
            assertThat(application.await("done")).isEqualTo(Integer.toString(EVENTS));
            assertThat(application.await("delivered")).isEqualTo(EVENTS + " repeated 0");
        } finally {
            Tables.execute(database.pool(), "DROP TABLE " + TABLE);
        }
    }
}
