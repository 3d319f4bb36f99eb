package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.TableName;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.spi.RelayLock;

import static org.assertj.core.api.Assertions.assertThat;

/** That a lock has at most one holder, is kept by asking, and ends with its holder. */
@Timeout(120)
abstract class RelayLockSuite {

    private static final TableName TABLE = TableName.of("relay_outbox");
    private static final TableName OTHER_TABLE = TableName.of("relay_outbox_2");
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final List<HikariDataSource> pools = new ArrayList<>();
    private Sessions sessions;
    private String session1;
    private RelayLock lock1;
    private RelayLock lock2;

    abstract TestedDatabase database();

    @BeforeEach
    void createTablesAndLocks() {
        Tables.shipped(database(), TABLE.table());
        Tables.shipped(database(), OTHER_TABLE.table());
        sessions = new Sessions(database());
        HikariDataSource pool1 = poolOfOne(true);
        session1 = sessions.of(pool1);
        lock1 = JdbcRelayLocks.forTable(pool1, TABLE);
        lock2 = JdbcRelayLocks.forTable(poolOfOne(true), TABLE);
    }

    @AfterEach
    void closeAll() {
        lock1.close();
        lock2.close();
        for (HikariDataSource pool : pools) {
            assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                    .as("connections that were not given back")
                    .isZero();
            pool.close();
        }
    }

    private HikariDataSource poolOfOne(boolean autoCommit) {
        HikariDataSource pool = database().newPool(1, autoCommit);
        pools.add(pool);
        return pool;
    }

    @Test
    void only_one_holds_it() throws SQLException {
        assertThat(lock1.tryHold()).isTrue();
        assertThat(lock2.tryHold()).isFalse();
        assertThat(lock1.tryHold()).isTrue();
        assertThat(lock2.tryHold()).isFalse();
    }

    @Test
    void asking_again_does_not_take_it_twice() throws SQLException {
        for (int i = 0; i < 3; i++) {
            assertThat(lock1.tryHold()).isTrue();
        }
        lock1.close();

        assertThat(lock2.tryHold()).isTrue();
        assertThat(lock1.tryHold()).isFalse();
    }

    @Test
    void it_can_be_taken_again_after_it_was_freed() throws SQLException {
        for (int i = 0; i < 3; i++) {
            assertThat(lock1.tryHold()).isTrue();
            lock1.close();
            assertThat(lock2.tryHold()).isTrue();
            lock2.close();
        }
    }

    @Test
    void closing_without_holding_it_is_harmless_even_twice() throws SQLException {
        lock2.close();
        assertThat(lock1.tryHold()).isTrue();
        lock2.close();
        assertThat(lock2.tryHold()).isFalse();
        lock2.close();
        lock2.close();

        assertThat(lock1.tryHold()).isTrue();
        assertThat(lock2.tryHold()).isFalse();
    }

    @Test
    void each_table_has_a_lock_of_its_own() throws SQLException {
        RelayLock ofOtherTable = JdbcRelayLocks.forTable(poolOfOne(true), OTHER_TABLE);

        assertThat(lock1.tryHold()).isTrue();
        assertThat(ofOtherTable.tryHold()).isTrue();
        ofOtherTable.close();
        assertThat(lock2.tryHold()).isFalse();
    }

    @Test
    void of_many_who_ask_at_once_one_gets_it() throws Exception {
        int many = 8;
        RelayLock[] locks = new RelayLock[many];
        for (int i = 0; i < many; i++) {
            locks[i] = JdbcRelayLocks.forTable(database().pool(), TABLE);
            assertThat(locks[i].tryHold()).isTrue(); // so that everything is prepared
            locks[i].close();
        }
        CyclicBarrier together = new CyclicBarrier(many);
        ExecutorService threads = Executors.newFixedThreadPool(many);
        try {
            for (int round = 0; round < 5; round++) {
                List<Future<Boolean>> asking = new ArrayList<>();
                for (RelayLock lock : locks) {
                    asking.add(threads.submit(() -> {
                        together.await(30, TimeUnit.SECONDS);
                        return lock.tryHold();
                    }));
                }
                int holders = 0;
                for (Future<Boolean> answer : asking) {
                    holders += answer.get(60, TimeUnit.SECONDS) ? 1 : 0;
                }
                assertThat(holders).isEqualTo(1);
                for (RelayLock lock : locks) {
                    lock.close();
                }
            }
        } finally {
            threads.shutdownNow();
            for (RelayLock lock : locks) {
                lock.close();
            }
        }
    }

    @Test
    void a_holder_that_lost_it_is_followed_and_gets_it_back_only_when_it_is_free() throws SQLException {
        assertThat(lock1.tryHold()).isTrue();
        endSession1();

        assertThat(holdsSoon(lock2)).isTrue();
        assertThat(asks(lock1)).isFalse();
        assertThat(asks(lock1)).isFalse();
        assertThat(lock2.tryHold()).isTrue();
        lock2.close();
        assertThat(lock1.tryHold()).isTrue();
        assertThat(lock2.tryHold()).isFalse();
    }

    @Test
    void a_holder_whose_session_has_ended_does_not_hold_it_even_if_nobody_followed() throws SQLException {
        assertThat(lock1.tryHold()).isTrue();
        endSession1();

        // A lease that has expired is as good as new if nobody took it meanwhile.
        assertThat(asks(lock1)).isEqualTo(!sessions.canHoldLocks());
        assertThat(holdsSoon(lock1)).isTrue();
        assertThat(lock2.tryHold()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_mode_of_the_pool_does_not_matter(boolean autoCommit) throws SQLException {
        RelayLock lock3 = JdbcRelayLocks.forTable(poolOfOne(autoCommit), TABLE);
        RelayLock lock4 = JdbcRelayLocks.forTable(poolOfOne(autoCommit), TABLE);

        assertThat(lock3.tryHold()).isTrue();
        assertThat(lock3.tryHold()).isTrue();
        assertThat(lock4.tryHold()).isFalse();
        lock3.close();
        assertThat(lock4.tryHold()).isTrue();
        assertThat(lock3.tryHold()).isFalse();
        lock4.close();
        assertThat(lock1.tryHold()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_connection_is_given_back_as_it_was_found(boolean autoCommit) throws SQLException {
        try (OneConnection one = new OneConnection(database())) {
            one.physical.setAutoCommit(autoCommit);
            RelayLock lock = JdbcRelayLocks.forTable(one.pool(), TABLE);
            int isolation = one.physical.getTransactionIsolation();

            assertThat(lock.tryHold()).isTrue();
            assertThat(one.isBorrowed()).isEqualTo(sessions.canHoldLocks());
            assertThat(lock.tryHold()).isTrue();
            lock.close();
            assertAsFound(one, autoCommit, isolation);

            assertThat(lock1.tryHold()).isTrue();
            assertThat(lock.tryHold()).isFalse();
            assertAsFound(one, autoCommit, isolation);
        }
    }

    private static void assertAsFound(OneConnection one, boolean autoCommit, int isolation) throws SQLException {
        assertThat(one.isBorrowed()).isFalse();
        assertThat(one.physical.getAutoCommit()).isEqualTo(autoCommit);
        assertThat(one.physical.getTransactionIsolation()).isEqualTo(isolation);
    }

    @Test
    void sessions_in_different_time_zones_agree_on_who_holds_it() throws SQLException {
        for (String zone : List.of("+05:30", "-08:00")) {
            HikariDataSource abroad = database()
                    .newPool(1, config -> config.setConnectionInitSql(database().setTimeZone(zone)));
            pools.add(abroad);
            RelayLock lock = JdbcRelayLocks.forTable(abroad, TABLE);

            assertThat(lock.tryHold()).isTrue();
            assertThat(lock1.tryHold()).isFalse();
            lock.close();
            assertThat(lock1.tryHold()).isTrue();
            assertThat(lock.tryHold()).isFalse();
            lock1.close();
        }
    }

    /** On H2 the time of a lease passes instead. */
    private void endSession1() {
        if (sessions.canHoldLocks()) {
            sessions.kill(session1);
        } else {
            Tables.execute(
                    database().pool(), "UPDATE " + TABLE + "_relay SET held_until = DATEADD(MINUTE, -1, held_until)");
        }
    }

    private static boolean asks(RelayLock lock) {
        try {
            return lock.tryHold();
        } catch (SQLException e) {
            return false;
        }
    }

    /** A server may take a moment to notice that a session has ended; so this asks again, as a poller does. */
    private static boolean holdsSoon(RelayLock lock) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!asks(lock)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
        }
        return true;
    }
}
