package outbox.internal.dead;

import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import outbox.DeadEvent;
import outbox.DeadEventHandler;
import outbox.DeadEventInTransaction;
import outbox.EventEnvelope;
import outbox.FailureClassifier;
import outbox.FailureKind;
import outbox.Listener;
import outbox.PermanentFailureException;
import outbox.ReceiverAwayException;
import outbox.RetryAfterException;
import outbox.internal.dead.DeadTeller.HandlerFailedException;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Events;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static outbox.internal.dead.DeadEvents.SECRET;
import static outbox.internal.dead.DeadEvents.dead;
import static outbox.internal.dead.DeadEvents.row;

class DeadTellerTest {

    private static final EventEnvelope NOTICE = DeathNotice.of(dead("a"));

    private final RecordingStore store = new RecordingStore().add(row("a"));
    private final StubConnections connections = StubConnections.transactional();
    private final DeadTeller.Parts parts = new DeadTeller.Parts(store, connections, FailureClassifier.standard());
    private final List<DeadEvent> told = new ArrayList<>();

    private Listener afterwards(DeadEventHandler handler) {
        return DeadTeller.telling(parts, handler, UnaryOperator.identity());
    }

    private Listener inTransaction(DeadEventInTransaction handler) {
        return DeadTeller.telling(parts, handler, UnaryOperator.identity());
    }

    /** What comes of a handler that throws. */
    private Throwable failureAfter(Exception thrown) {
        Listener listener = afterwards(dead -> {
            throw thrown;
        });
        return catchThrowable(() -> listener.onEvent(NOTICE));
    }

    private static FailureKind kindOf(Listener listener, Throwable failure) {
        return listener.settings().classifier().kindOf(failure);
    }

    @Test
    void the_handler_is_told_of_the_event_with_its_row_while_no_connection_is_held() throws Exception {
        List<Integer> held = new ArrayList<>();
        afterwards(dead -> {
                    held.add(connections.leaked());
                    told.add(dead);
                })
                .onEvent(NOTICE);

        assertThat(told).containsExactly(dead("a").with(row("a")));
        assertThat(held).containsExactly(0);
    }

    @Test
    void the_handler_is_told_without_the_row_if_that_has_been_purged() throws Exception {
        afterwards(told::add).onEvent(DeathNotice.of(dead("purged")));

        assertThat(told).containsExactly(dead("purged"));
    }

    @Test
    void a_handler_in_a_transaction_is_told_before_that_is_committed() throws Exception {
        List<String> before = new ArrayList<>();
        inTransaction((dead, conn) -> {
                    told.add(dead);
                    before.addAll(connections.journal());
                })
                .onEvent(NOTICE);

        assertThat(told).containsExactly(dead("a").with(row("a")));
        assertThat(before).containsExactly("open");
        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void a_connection_in_autocommit_mode_has_a_transaction_too() throws Exception {
        StubConnections committing = StubConnections.autoCommitting();
        DeadEventInTransaction handler =
                (dead, conn) -> assertThat(conn.getAutoCommit()).isFalse();
        DeadTeller.telling(
                        new DeadTeller.Parts(store, committing, FailureClassifier.none()),
                        handler,
                        UnaryOperator.identity())
                .onEvent(NOTICE);

        assertThat(committing.journal())
                .containsExactly("open", "autocommit=false", "commit", "autocommit=true", "close");
    }

    @Test
    void what_a_handler_in_a_transaction_has_done_is_undone_if_it_fails_or_ends_the_transaction_itself() {
        assertThatThrownBy(() -> inTransaction((dead, conn) -> conn.commit()).onEvent(NOTICE))
                .isInstanceOf(HandlerFailedException.class)
                .hasMessageContaining("commit() was called on a connection whose transaction");

        assertThat(connections.journal()).containsExactly("open", "rollback", "close");
    }

    @Test
    void a_failure_is_told_in_words_without_the_content_of_the_event_and_with_the_handlers_stack() {
        IOException thrown = new IOException("cannot mail " + SECRET);
        Throwable failure = failureAfter(thrown);

        assertThat(failure).isInstanceOf(HandlerFailedException.class).hasNoCause();
        assertThat(failure)
                .hasMessageStartingWith("java.io.IOException: cannot mail ")
                .hasMessageNotContaining(SECRET);
        assertThat(failure.getStackTrace()).isEqualTo(thrown.getStackTrace());
    }

    @Test
    void a_failure_over_an_event_without_a_row_is_told_as_well() {
        Listener listener = afterwards(dead -> {
            throw new IOException("no mail");
        });

        assertThatThrownBy(() -> listener.onEvent(DeathNotice.of(dead("purged"))))
                .isInstanceOf(HandlerFailedException.class)
                .hasMessage("java.io.IOException: no mail");
    }

    @Test
    void when_to_try_again_is_as_the_handler_wishes() {
        Throwable failure =
                failureAfter(new RetryAfterException(Duration.ofSeconds(90), false, "busy with " + SECRET, null));

        assertThat(failure).isInstanceOfSatisfying(RetryAfterException.class, wish -> {
            assertThat(wish.delay()).isEqualTo(Duration.ofSeconds(90));
            assertThat(wish.isCounted()).isFalse();
            assertThat(wish).hasMessageContaining("busy with ").hasMessageNotContaining(SECRET);
        });
    }

    @Test
    void a_receiver_that_is_away_is_known_as_such_by_the_failure_or_one_of_its_causes() {
        assertThat(failureAfter(new ReceiverAwayException("gone"))).isInstanceOf(ReceiverAwayException.class);
        assertThat(failureAfter(new IOException("x", new IllegalStateException(new ConnectException("refused")))))
                .isInstanceOf(ReceiverAwayException.class);
        assertThat(failureAfter(new IOException("x", new IOException("y")))).isInstanceOf(HandlerFailedException.class);
    }

    @Test
    void what_the_classifier_knows_of_a_failure_counts_more_than_what_it_knows_of_its_causes() {
        Exception failure = new PermanentFailureException("never", new ConnectException("refused"));

        assertThat(failureAfter(failure)).isInstanceOf(HandlerFailedException.class);
    }

    @Test
    void causes_that_go_in_a_circle_are_no_endless_search() {
        IOException one = new IOException("one");
        IOException other = new IOException("other", one);
        one.initCause(other);

        assertThat(failureAfter(one)).isInstanceOf(HandlerFailedException.class);
    }

    @Test
    void nothing_that_a_handler_throws_ends_a_notice_whatever_the_settings_say() {
        Listener listener = DeadTeller.telling(
                parts,
                (DeadEventHandler) dead -> {},
                settings -> settings.named("mine")
                        .maxAttempts(1)
                        .classifier(FailureClassifier.none().permanent(Exception.class)));

        assertThat(listener.settings().maxAttempts()).isEqualTo(Integer.MAX_VALUE);
        assertThat(kindOf(listener, failureAfter(new PermanentFailureException("never"))))
                .isEqualTo(FailureKind.TRANSIENT);
        assertThat(kindOf(listener, new SQLException("away", "08006"))).isEqualTo(FailureKind.TRANSIENT);
        assertThat(kindOf(listener, failureAfter(new ConnectException("refused"))))
                .isEqualTo(FailureKind.AWAY);
        assertThat(listener.settings().name()).isEqualTo("mine");
        assertThat(afterwards(told::add).settings().name()).isEqualTo(DeadTeller.NAME);
    }

    @Test
    void a_notice_that_somebody_else_has_written_ends_and_the_handler_hears_nothing() {
        Listener listener = afterwards(told::add);
        EventEnvelope forged =
                EventEnvelope.builder(DeathNotice.TYPE).payloadJson("{}").build();
        Throwable failure = catchThrowable(() -> listener.onEvent(forged));

        assertThat(failure).isInstanceOf(PermanentFailureException.class);
        assertThat(kindOf(listener, failure)).isEqualTo(FailureKind.PERMANENT);
        assertThat(told).isEmpty();
    }

    @Test
    void if_the_row_cannot_be_read_the_handler_is_not_called_and_the_notice_waits() {
        connections.failToOpen(1);
        Listener listener = afterwards(told::add);
        Throwable failure = catchThrowable(() -> listener.onEvent(NOTICE));

        assertThat(failure).isInstanceOf(SQLException.class).hasMessage("database is away");
        assertThat(kindOf(listener, failure)).isEqualTo(FailureKind.TRANSIENT);
        assertThat(told).isEmpty();
    }

    @Test
    void notices_go_to_the_teller_and_to_no_listener_of_the_application() {
        Listener teller = afterwards(told::add);
        DefaultListenerRegistry registry = new DefaultListenerRegistry();
        registry.register(Events.TYPE, event -> {});
        registry.register(DeathNotice.TYPE, event -> {});
        NoticeRoutes routes = new NoticeRoutes(registry, teller);
        String any = NOTICE.aggregateType();

        assertThat(routes.listenerFor(any, DeathNotice.TYPE)).isSameAs(teller);
        assertThat(new NoticeRoutes(registry, null).listenerFor(any, DeathNotice.TYPE))
                .isNull();
        assertThat(routes.listenerFor(any, Events.TYPE)).isNotNull().isSameAs(registry.listenerFor(any, Events.TYPE));
        assertThat(routes.registered()).isEqualTo(registry.registered()).hasSize(2);
        assertThat(routes.byName()).isEqualTo(registry.byName()).isNotEmpty();
        assertThat(routes.isEmpty()).isFalse();
        assertThat(new NoticeRoutes(new DefaultListenerRegistry(), teller).isEmpty())
                .isTrue();
    }
}
