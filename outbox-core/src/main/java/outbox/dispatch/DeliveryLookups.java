package outbox.dispatch;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import outbox.OutboxException;
import outbox.internal.lease.LeaseBook;
import outbox.internal.text.StoredText;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;

/** What a delivery can ask the database. */
record DeliveryLookups(OutboxStore store, ConnectionProvider connections, LeaseBook leases) {

    String table() {
        String name = store.tableName();
        return name == null ? "" : name;
    }

    OptionalLong sequence(String eventId) {
        try {
            return ShortTransaction.run(connections, conn -> store.sequences(conn, List.of(eventId)))
                    .getOrDefault(eventId, OptionalLong.empty());
        } catch (SQLException e) {
            throw cannotAsk("for the sequence", eventId, e);
        }
    }

    OptionalLong fencingToken(String eventId) {
        LeaseStore leased = store.leases();
        if (leased == null || !leases.isOn()) {
            return OptionalLong.empty();
        }
        try {
            Map<String, Long> times = ShortTransaction.run(
                    connections, conn -> leased.leasedAt(conn, leases.ownerId(), List.of(eventId)));
            @Nullable Long at = times.get(eventId);
            return at == null ? OptionalLong.empty() : OptionalLong.of(at);
        } catch (SQLException e) {
            throw cannotAsk("for the lease", eventId, e);
        }
    }

    private static OutboxException cannotAsk(String what, String eventId, SQLException e) {
        return new OutboxException("Cannot ask the database " + what + " of event " + StoredText.inOneLine(eventId), e);
    }
}
