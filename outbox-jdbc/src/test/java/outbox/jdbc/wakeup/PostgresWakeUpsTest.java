package outbox.jdbc.wakeup;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

@Timeout(30)
class PostgresWakeUpsTest {

    @Test
    void a_database_that_is_away_is_tried_again_and_does_not_hold_up_the_close() throws InterruptedException {
        CountDownLatch tries = new CountDownLatch(2);
        PostgresWakeUps source = new PostgresWakeUps(away(tries), TableName.DEFAULT);
        source.start(() -> {});
        assertThat(tries.await(20, TimeUnit.SECONDS)).isTrue();
        source.close();

        assertThat(threads()).isEmpty();
    }

    @Test
    void one_that_was_closed_before_its_start_asks_for_no_connection() throws InterruptedException {
        CountDownLatch tries = new CountDownLatch(1);
        PostgresWakeUps source = new PostgresWakeUps(away(tries), TableName.DEFAULT);
        source.close();
        source.start(() -> {});
        source.close();

        assertThat(threads()).isEmpty();
        assertThat(tries.getCount()).isEqualTo(1);
    }

    @Test
    void a_name_that_is_too_long_for_a_channel_is_refused() {
        DataSource dataSource = away(new CountDownLatch(1));
        assertThat(new PostgresWakeUps(dataSource, TableName.of("s".repeat(31), "t".repeat(31))))
                .isNotNull();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PostgresWakeUps(dataSource, TableName.of("s".repeat(32), "t".repeat(31))))
                .withMessageEndingWith("must have at most 63 characters, has 64;"
                        + " leave out the schema or give the table a shorter name");
    }

    @Test
    void a_data_source_is_required() {
        assertThatNullPointerException()
                .isThrownBy(() -> new PostgresWakeUps(null, TableName.DEFAULT))
                .withMessage("dataSource");
    }

    private static DataSource away(CountDownLatch tries) {
        return (DataSource) Proxy.newProxyInstance(
                PostgresWakeUpsTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> {
                    tries.countDown();
                    throw new SQLException("database is away");
                });
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("outbox-listen-"))
                .toList();
    }
}
