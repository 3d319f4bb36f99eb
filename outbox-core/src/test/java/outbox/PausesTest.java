package outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.model.Pause;
import outbox.model.PauseTarget;
import outbox.spi.MissingPauseTableException;
import outbox.spi.OutboxStore;
import outbox.spi.PauseStore;
import outbox.testsupport.Await;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

class PausesTest {

    private static final PauseTarget PAID = PauseTarget.eventType("Paid");

    private final TableOfPauses table = new TableOfPauses();
    private StubTransaction transaction;

    /** Keeps pauses in memory, and fails when told to. */
    private static final class TableOfPauses implements PauseStore {

        private final Map<PauseTarget, Pause> rows = new LinkedHashMap<>();
        private final List<RuntimeException> failures = new ArrayList<>();

        private void failNext(RuntimeException failure, int times) {
            for (int i = 0; i < times; i++) {
                failures.add(failure);
            }
        }

        private void fail() {
            if (!failures.isEmpty()) {
                throw failures.remove(0);
            }
        }

        @Override
        public synchronized List<Pause> pauses(Connection conn) {
            fail();
            return List.copyOf(rows.values());
        }

        @Override
        public synchronized void pause(Connection conn, PauseTarget target, String reason, String who) {
            fail();
            rows.put(target, new Pause(target, reason, who, Instant.EPOCH));
        }

        @Override
        public synchronized boolean resume(Connection conn, PauseTarget target) {
            fail();
            return rows.remove(target) != null;
        }
    }

    private static final class PausingStore extends RecordingStore {

        private final PauseStore pauses;

        private PausingStore(PauseStore pauses) {
            this.pauses = pauses;
        }

        @Override
        public PauseStore pauses() {
            return pauses;
        }
    }

    @BeforeEach
    void beginTransaction() throws Exception {
        transaction = new StubTransaction();
    }

    private OutboxBuilder builder(OutboxStore store) {
        return Outbox.builder(store, StubConnections.autoCommitting(), transaction);
    }

    private Outbox writerOnly() {
        return builder(new PausingStore(table)).writerOnly().build();
    }

    private Outbox delivering(EventListener listener) {
        return builder(new PausingStore(table)).listener("Paid", listener).build();
    }

    private static OutboxException refusal() {
        return new OutboxException("met somebody", new SQLException("duplicate", "23505"));
    }

    @Test
    void what_is_paused_for_all_by_a_writer_is_listed_with_who_and_why_and_taken_back() {
        try (Outbox outbox = writerOnly()) {
            outbox.pauses().everywhere(PAID, "stocktaking", "ann");

            assertThat(outbox.pauses().list()).singleElement().satisfies(pause -> {
                assertThat(pause.target()).isEqualTo(PAID);
                assertThat(pause.reason()).isEqualTo("stocktaking");
                assertThat(pause.who()).isEqualTo("ann");
            });
            assertThat(outbox.pauses().resumeEverywhere(PAID)).isTrue();
            assertThat(outbox.pauses().resumeEverywhere(PAID)).isFalse();
            assertThat(outbox.pauses().list()).isEmpty();
        }
    }

    @Test
    void the_process_that_pauses_for_all_heeds_it_at_once() {
        CountDownLatch delivered = new CountDownLatch(1);
        try (Outbox outbox = delivering(event -> delivered.countDown())) {
            outbox.pauses().everywhere(PAID, "stocktaking", "ann");
            outbox.writer().write("Paid", "{}");
            transaction.commit();

            assertThat(outbox.health().warnings()).anyMatch(told -> told.contains("stocktaking"));
            assertThat(delivered.getCount()).isOne();
        }
    }

    @Test
    void what_is_paused_here_is_listed_beside_what_is_paused_for_all() {
        try (Outbox outbox = delivering(event -> {})) {
            outbox.pauses().everywhere(PAID, "stocktaking", "ann");
            outbox.pauses().here(PauseTarget.outbox(), "maintenance");

            assertThat(outbox.pauses().list())
                    .extracting(Pause::target, Pause::isEverywhere)
                    .containsExactly(tuple(PAID, true), tuple(PauseTarget.outbox(), false));
            assertThat(outbox.pauses().resumeHere(PauseTarget.outbox())).isTrue();
            assertThat(outbox.pauses().resumeHere(PauseTarget.outbox())).isFalse();
        }
    }

    @Test
    void what_goes_on_here_is_delivered() {
        CountDownLatch delivered = new CountDownLatch(1);
        try (Outbox outbox = delivering(event -> delivered.countDown())) {
            outbox.pauses().here(PAID, "maintenance");
            outbox.pauses().resumeHere(PAID);
            outbox.writer().write("Paid", "{}");
            transaction.commit();

            Await.opened(delivered);
        }
    }

    @Test
    void a_listener_that_is_not_there_cannot_be_paused_here() {
        try (Outbox outbox = delivering(event -> {})) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> outbox.pauses().here(PauseTarget.listener("nobody"), "maintenance"))
                    .withMessageContaining("nobody");
        }
    }

    @Test
    void who_only_writes_cannot_pause_itself() {
        try (Outbox outbox = writerOnly()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> outbox.pauses().here(PAID, "maintenance"))
                    .withMessageContaining("only writes in this process, so event type Paid cannot be paused here");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> outbox.pauses().resumeHere(PAID));
        }
    }

    @Test
    void a_store_without_pauses_can_pause_nothing_for_all() {
        try (Outbox outbox = builder(new RecordingStore()).writerOnly().build()) {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> outbox.pauses().everywhere(PAID, "stocktaking", "ann"))
                    .withMessageContaining("keeps no pauses");
            assertThat(outbox.pauses().list()).isEmpty();
        }
    }

    @Test
    void who_meets_somebody_who_pauses_the_same_thing_tries_again() {
        table.failNext(refusal(), 2);
        try (Outbox outbox = writerOnly()) {
            outbox.pauses().everywhere(PAID, "stocktaking", "ann");

            assertThat(table.rows).containsOnlyKeys(PAID);
        }
    }

    @Test
    void a_database_that_goes_on_failing_is_told() {
        table.failNext(refusal(), 3);
        try (Outbox outbox = writerOnly()) {
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(() -> outbox.pauses().everywhere(PAID, "stocktaking", "ann"))
                    .withMessage("met somebody");
            assertThat(table.rows).isEmpty();
        }
    }

    @Test
    void without_the_table_nothing_is_paused_for_all_and_that_is_told_at_once() {
        MissingPauseTableException missing = new MissingPauseTableException("apply version 7", null);
        table.failNext(missing, 2);
        try (Outbox outbox = writerOnly()) {
            assertThatThrownBy(() -> outbox.pauses().everywhere(PAID, "stocktaking", "ann"))
                    .isSameAs(missing);
            assertThat(outbox.pauses().list()).isEmpty();
            assertThat(table.failures).as("left: it was tried once").isEmpty();
        }
    }

    @Test
    void what_cannot_be_stored_is_refused_before_the_database_is_asked() {
        try (Outbox outbox = writerOnly()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> outbox.pauses().everywhere(PAID, "a\u0000b", "ann"))
                    .withMessageContaining("reason");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> outbox.pauses().everywhere(PAID, "stocktaking", " "))
                    .withMessageContaining("who");
            assertThatThrownBy(() -> outbox.pauses().everywhere(PAID, "stocktaking", null))
                    .hasMessage("who");
        }
    }
}
