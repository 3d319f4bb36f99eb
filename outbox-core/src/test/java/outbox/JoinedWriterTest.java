package outbox;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import outbox.spi.TxContext;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JoinedWriterTest {

    private final RecordingStore store = new RecordingStore();

    @Test
    void a_connection_in_autocommit_mode_has_no_transaction_to_join() throws SQLException {
        Connection alone = StubConnections.autoCommitting().getConnection();
        assertThatIllegalStateException()
                .isThrownBy(() -> JoinedWriter.on(alone, this::writing, () -> {}))
                .withMessageContaining("autocommit mode")
                .withMessageContaining("setAutoCommit(false)");
        assertThatNullPointerException().isThrownBy(() -> JoinedWriter.on(null, this::writing, () -> {}));
    }

    @Test
    void a_connection_that_fails_is_told_with_its_reason() throws SQLException {
        Connection broken = StubConnections.transactional()
                .failOn("getAutoCommit", new SQLException("closed"))
                .getConnection();
        assertThatThrownBy(() -> JoinedWriter.on(broken, this::writing, () -> {}))
                .isInstanceOf(OutboxException.class)
                .hasMessageContaining("autocommit")
                .hasRootCauseMessage("closed");
    }

    @Test
    void after_any_word_nothing_more_is_written_and_words_may_be_repeated() throws SQLException {
        JoinedWriter committed = joined();
        committed.committed();
        committed.committed();
        committed.rolledBack();
        committed.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> committed.write("Tick", "{}"))
                .withMessageContaining("on(connection)");
        JoinedWriter rolledBack = joined();
        rolledBack.rolledBack();
        assertThatIllegalStateException()
                .isThrownBy(() -> rolledBack.write("Tick", "{}"))
                .withMessageContaining("rolledBack()");
        JoinedWriter closed = joined();
        closed.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> closed.write("Tick", "{}"))
                .withMessageContaining("close()");
        assertThat(store.calls()).isEmpty();
    }

    private JoinedWriter joined() throws SQLException {
        return JoinedWriter.on(StubConnections.transactional().getConnection(), this::writing, () -> {});
    }

    private OutboxWriter writing(TxContext context) {
        return new OutboxWriter(context, store, WriterHook.NOOP);
    }
}
