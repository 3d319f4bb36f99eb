package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxException;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.TestLeases;
import outbox.spi.OutboxStore;
import outbox.testsupport.Events;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeliveryLookupsTest {

    /** A table with a name, that has numbered its rows. */
    private static final class NumberedStore extends RecordingStore {
        private final Map<String, OptionalLong> numbers;

        private NumberedStore(Map<String, OptionalLong> numbers) {
            this.numbers = numbers;
        }

        @Override
        public Map<String, OptionalLong> sequences(Connection conn, Collection<String> eventIds) {
            return eventIds.stream().filter(numbers::containsKey).collect(Collectors.toMap(id -> id, numbers::get));
        }

        @Override
        public String tableName() {
            return "orders_outbox";
        }
    }

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final StubConnections connections = StubConnections.transactional();
    private final LeasingStore leasing = new LeasingStore(clock);
    private final NumberedStore numbered =
            new NumberedStore(Map.of("a", OptionalLong.of(17), "not numbered", OptionalLong.empty()));

    @AfterEach
    void noConnectionIsLeaked() {
        assertThat(connections.leaked()).isZero();
    }

    private DeliveryLookups lookups(OutboxStore store, LeaseBook leases) {
        return new DeliveryLookups(store, connections, leases);
    }

    private DeliveryLookups leased() {
        return lookups(leasing, TestLeases.on(new ManualNanos()));
    }

    @Test
    void a_table_without_a_name_is_called_nothing() {
        assertThat(lookups(numbered, TestLeases.off()).table()).isEqualTo("orders_outbox");
        assertThat(leased().table()).isEmpty();
    }

    @Test
    void the_sequence_is_the_number_that_the_table_gave_the_event_if_it_gave_any() {
        DeliveryLookups lookups = lookups(numbered, TestLeases.off());

        assertThat(lookups.sequence("a")).hasValue(17);
        assertThat(lookups.sequence("not numbered")).isEmpty();
        assertThat(lookups.sequence("not there")).isEmpty();
        assertThat(leased().sequence("a")).isEmpty();
    }

    @Test
    void a_sequence_that_cannot_be_asked_for_is_an_error_that_names_the_event_in_one_line() {
        connections.failToOpen(1);

        assertThatThrownBy(() -> lookups(numbered, TestLeases.off()).sequence("a\nb"))
                .isInstanceOf(OutboxException.class)
                .hasMessage("Cannot ask the database for the sequence of event a\\nb")
                .hasCauseInstanceOf(SQLException.class);
    }

    @Test
    void the_token_is_when_this_process_leased_the_event() {
        leasing.leases().insertLeased(null, List.of(Events.event("a")), TestLeases.NODE);
        long before = TimeUnit.SECONDS.toMicros(clock.instant().getEpochSecond());
        clock.advance(TestLeases.TIMEOUT);
        leasing.leases().insertLeased(null, List.of(Events.event("b")), TestLeases.NODE);

        assertThat(leased().fencingToken("a")).hasValue(before);
        assertThat(leased().fencingToken("b"))
                .hasValue(before + TimeUnit.SECONDS.toMicros(TestLeases.TIMEOUT.toSeconds()));
    }

    @Test
    void there_is_no_token_of_what_another_process_has_leased_or_nobody() {
        leasing.leases().insertLeased(null, List.of(Events.event("a")), TestLeases.NODE);
        leasing.takeOver("a", "node-2");
        leasing.add("free");

        assertThat(leased().fencingToken("a")).isEmpty();
        assertThat(leased().fencingToken("free")).isEmpty();
        assertThat(leased().fencingToken("not there")).isEmpty();
    }

    @Test
    void without_leases_the_table_is_not_asked_for_a_token() {
        leasing.leases().insertLeased(null, List.of(Events.event("a")), TestLeases.NODE);

        assertThat(lookups(leasing, TestLeases.off()).fencingToken("a")).isEmpty();
        assertThat(lookups(numbered, TestLeases.on(new ManualNanos())).fencingToken("a"))
                .isEmpty();
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void a_token_that_cannot_be_asked_for_is_an_error_and_not_a_missing_one() {
        connections.failToOpen(1);

        assertThatThrownBy(() -> leased().fencingToken("a"))
                .isInstanceOf(OutboxException.class)
                .hasMessage("Cannot ask the database for the lease of event a")
                .hasRootCauseMessage("database is away");
    }
}
