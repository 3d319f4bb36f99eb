package outbox.proof.process;

import com.zaxxer.hikari.SQLExceptionOverride.Override;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReadOnlyTest {

    @Test
    void what_servers_say_when_they_cannot_write_is_known() {
        assertThat(ReadOnly.is(new SQLException("PostgreSQL", "25006"))).isTrue();
        assertThat(ReadOnly.is(new SQLException("MySQL, as a whole", "HY000", 1290)))
                .isTrue();
        assertThat(ReadOnly.is(new SQLException("MySQL, this session", "25006", 1792)))
                .isTrue();
        assertThat(ReadOnly.is(new SQLException("around it", new SQLException("inside", "25006"))))
                .isTrue();
        assertThat(ReadOnly.is(new SQLException("a deadlock", "40001", 1213))).isFalse();
    }

    @Test
    void only_a_connection_that_cannot_write_must_leave_the_pool() {
        assertThat(new ReadOnly().adjudicate(new SQLException("read-only", "25006")))
                .isEqualTo(Override.MUST_EVICT);
        assertThat(new ReadOnly().adjudicate(new SQLException("a deadlock", "40001")))
                .isEqualTo(Override.CONTINUE_EVICT);
    }
}
