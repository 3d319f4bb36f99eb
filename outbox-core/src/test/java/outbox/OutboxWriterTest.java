package outbox;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.event;

class OutboxWriterTest {

    /** Records every call; fails where it is told to. */
    private static class RecordingHook implements WriterHook {
        private final List<String> calls = new ArrayList<>();
        private Throwable failure;

        @Override
        public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
            calls.add("beforeWrite " + ids(events));
            return events;
        }

        @Override
        public void afterWrite(List<EventEnvelope> events) {
            note("afterWrite", events);
        }

        @Override
        public void afterCommit(List<EventEnvelope> events) {
            note("afterCommit", events);
        }

        @Override
        public void afterRollback(List<EventEnvelope> events) {
            note("afterRollback", events);
        }

        @Override
        public void afterUnknown(List<EventEnvelope> events) {
            note("afterUnknown", events);
        }

        private void note(String phase, List<EventEnvelope> events) {
            calls.add(phase + " " + ids(events));
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException exception) {
                throw exception;
            }
        }

        private static List<String> ids(List<EventEnvelope> events) {
            return events.stream().map(EventEnvelope::eventId).toList();
        }
    }

    private final RecordingStore store = new RecordingStore();
    private final RecordingHook hook = new RecordingHook();
    private CapturedLog log;
    private StubTransaction tx;

    @BeforeEach
    void begin() throws Exception {
        log = new CapturedLog();
        tx = new StubTransaction();
    }

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void without_a_transaction_nothing_is_written() {
        tx.commit();
        OutboxWriter writer = new OutboxWriter(tx, store, hook);

        assertThatIllegalStateException()
                .isThrownBy(() -> writer.write(event("a")))
                .withMessageContaining("No active transaction");
        assertThatIllegalStateException().isThrownBy(() -> writer.write("T", "{}"));
        assertThatIllegalStateException().isThrownBy(() -> writer.writeAll(List.of(event("a"))));
        assertThat(hook.calls).isEmpty();
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void a_batch_is_one_call_to_the_store_on_the_transactions_connection() {
        List<Connection> used = new ArrayList<>();
        RecordingStore noting = new RecordingStore() {
            @Override
            public synchronized void insertBatch(Connection conn, List<EventEnvelope> events) {
                used.add(conn);
                super.insertBatch(conn, events);
            }
        };

        assertThat(new OutboxWriter(tx, noting).writeAll(List.of(event("a"), event("b"), event("c"))))
                .containsExactly("a", "b", "c");
        assertThat(noting.calls()).containsExactly("insertBatch [a, b, c]");
        assertThat(used).containsExactly(tx.currentConnection());
    }

    @Test
    void a_single_event_is_a_batch_of_one() {
        OutboxWriter writer = new OutboxWriter(tx, store, hook);

        assertThat(writer.write(event("a"))).isEqualTo("a");
        assertThat(store.calls()).containsExactly("insertBatch [a]");
        assertThat(hook.calls).containsExactly("beforeWrite [a]", "afterWrite [a]");
    }

    @Test
    void short_forms_build_the_event() {
        OutboxWriter writer = new OutboxWriter(tx, store);
        String first = writer.write("UserCreated", "{}");
        String second = writer.write(StringEventType.of("UserDeleted"), "{}");

        assertThat(first).hasSize(26).isLessThan(second);
        assertThat(store.calls()).containsExactly("insertBatch [" + first + "]", "insertBatch [" + second + "]");
    }

    @Test
    void an_empty_list_touches_neither_hook_nor_store() {
        assertThat(new OutboxWriter(tx, store, hook).writeAll(List.of())).isEmpty();
        assertThat(hook.calls).isEmpty();
        assertThat(store.calls()).isEmpty();
        assertThat(tx.callbacks()).isZero();
    }

    @Test
    void null_events_are_rejected() {
        OutboxWriter writer = new OutboxWriter(tx, store, hook);

        assertThatNullPointerException().isThrownBy(() -> writer.write((EventEnvelope) null));
        assertThatNullPointerException().isThrownBy(() -> writer.writeAll(null));
        assertThatNullPointerException().isThrownBy(() -> writer.writeAll(Arrays.asList(event("a"), null)));
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void a_hook_can_suppress_the_write_with_null_or_an_empty_list() {
        for (List<EventEnvelope> nothing : Arrays.asList(null, List.<EventEnvelope>of())) {
            OutboxWriter writer = new OutboxWriter(tx, store, new RecordingHook() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                    return nothing;
                }
            });

            assertThat(writer.write(event("a"))).isNull();
            assertThat(writer.writeAll(List.of(event("a"), event("b")))).isEmpty();
        }
        assertThat(store.calls()).isEmpty();
        assertThat(tx.callbacks()).isZero();
    }

    @Test
    void a_hook_can_change_the_events_and_what_it_changed_is_what_everybody_sees() {
        RecordingHook changing = new RecordingHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return List.of(event("x"), event("y"));
            }
        };

        assertThat(new OutboxWriter(tx, store, changing).writeAll(List.of(event("a"))))
                .containsExactly("x", "y");
        tx.commit();
        assertThat(store.calls()).containsExactly("insertBatch [x, y]");
        assertThat(changing.calls).containsExactly("afterWrite [x, y]", "afterCommit [x, y]");
    }

    @Test
    void what_before_write_throws_reaches_the_caller_and_nothing_is_inserted() {
        IllegalArgumentException refusal = new IllegalArgumentException("not this one");
        OutboxWriter writer = new OutboxWriter(tx, store, new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                throw refusal;
            }
        });

        assertThatThrownBy(() -> writer.write(event("a"))).isSameAs(refusal);
        assertThat(store.calls()).isEmpty();
        assertThat(tx.callbacks()).isZero();
    }

    @Test
    void the_hook_follows_a_commit_once_per_batch() {
        OutboxWriter writer = new OutboxWriter(tx, store, hook);
        writer.writeAll(List.of(event("a"), event("b")));
        writer.write(event("c"));

        assertThat(tx.callbacks()).isEqualTo(4);
        tx.commit();
        assertThat(hook.calls)
                .containsExactly(
                        "beforeWrite [a, b]",
                        "afterWrite [a, b]",
                        "beforeWrite [c]",
                        "afterWrite [c]",
                        "afterCommit [a, b]",
                        "afterCommit [c]");
    }

    @Test
    void a_hook_that_hears_of_the_write_will_hear_of_its_end() {
        List<Integer> callbacksAtWrite = new ArrayList<>();
        new OutboxWriter(tx, store, new WriterHook() {
                    @Override
                    public void afterWrite(List<EventEnvelope> events) {
                        callbacksAtWrite.add(tx.callbacks());
                    }
                })
                .write(event("a"));

        assertThat(callbacksAtWrite).containsExactly(2);
    }

    @Test
    void the_hook_follows_a_rollback() {
        new OutboxWriter(tx, store, hook).writeAll(List.of(event("a"), event("b")));
        tx.rollback();

        assertThat(hook.calls).containsExactly("beforeWrite [a, b]", "afterWrite [a, b]", "afterRollback [a, b]");
    }

    @Test
    void without_a_hook_no_callback_is_registered() {
        new OutboxWriter(tx, store).write(event("a"));
        new OutboxWriter(tx, store, WriterHook.NOOP).write(event("b"));
        new OutboxWriter(tx, store, null).write(event("c"));

        assertThat(store.calls()).containsExactly("insertBatch [a]", "insertBatch [b]", "insertBatch [c]");
        assertThat(tx.callbacks()).isZero();
    }

    @Test
    void a_failed_insert_registers_no_callback() {
        store.failNext(1);
        OutboxWriter writer = new OutboxWriter(tx, store, hook);

        assertThatIllegalStateException()
                .isThrownBy(() -> writer.write(event("a")))
                .withMessage("store is broken");
        assertThat(tx.callbacks()).isZero();
        assertThat(hook.calls).containsExactly("beforeWrite [a]");
    }

    @Test
    void what_the_hook_throws_later_is_logged_and_goes_no_further() throws Exception {
        for (Throwable failure : List.of(new IllegalStateException("hook"), new AssertionError("hook"))) {
            StubTransaction transaction = new StubTransaction();
            hook.failure = failure;
            assertThat(new OutboxWriter(transaction, store, hook).write(event("a")))
                    .isEqualTo("a");
            transaction.commit();
            transaction.rollback();
        }
        assertThat(hook.calls)
                .contains("afterWrite [a]", "afterCommit [a]", "afterRollback [a]")
                .hasSize(8);
        assertThat(log.at(Level.SEVERE))
                .containsOnly(
                        "WriterHook.afterWrite failed for 1 event(s)",
                        "WriterHook.afterCommit failed for 1 event(s)",
                        "WriterHook.afterRollback failed for 1 event(s)")
                .hasSize(6);
        assertThat(log.lines()).extracting(CapturedLog.Line::thrown).doesNotContainNull();
    }

    @Test
    void a_change_of_the_callers_list_after_the_call_is_not_seen() {
        List<EventEnvelope> events = new ArrayList<>(List.of(event("a")));
        new OutboxWriter(tx, store, hook).writeAll(events);
        events.clear();
        tx.commit();

        assertThat(hook.calls).endsWith("afterCommit [a]");
    }

    @Test
    void the_hooks_own_methods_do_nothing_by_default() {
        List<EventEnvelope> events = List.of(event("a"));
        WriterHook.NOOP.afterWrite(events);
        WriterHook.NOOP.afterCommit(events);
        WriterHook.NOOP.afterRollback(events);

        assertThat(WriterHook.NOOP.beforeWrite(events)).isSameAs(events);
    }

    @Test
    void parts_are_required() {
        assertThatNullPointerException().isThrownBy(() -> new OutboxWriter(null, store));
        assertThatNullPointerException().isThrownBy(() -> new OutboxWriter(tx, null));
    }
}
