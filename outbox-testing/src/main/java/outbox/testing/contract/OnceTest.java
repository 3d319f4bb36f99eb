package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;

import static org.junit.jupiter.api.Assumptions.abort;

/** What the parts of the contract on writing an id once have in common. */
interface OnceTest extends LeaseTest {

    default List<WriteReceipt> once(Connection conn, DuplicatePolicy policy, EventEnvelope... events) {
        try {
            return store().insertOnce(conn, List.of(events), policy);
        } catch (UnsupportedOperationException e) {
            return abort("the store gives no receipts");
        }
    }

    default List<WriteReceipt> once(DuplicatePolicy policy, EventEnvelope... events) throws SQLException {
        return with(conn -> once(conn, policy, events));
    }
}
