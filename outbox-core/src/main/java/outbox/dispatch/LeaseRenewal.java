package outbox.dispatch;

import java.sql.Connection;
import java.util.List;
import java.util.Set;
import outbox.spi.LeaseStore;

/**
 * What became of leases that were to be renewed; the others are lost.
 *
 * @param leftOut those whose rows are locked, most often because this process is recording their outcome; as old as they were
 */
record LeaseRenewal(Set<String> renewed, Set<String> leftOut) {

    static LeaseRenewal run(LeaseStore store, Connection conn, String ownerId, List<String> ids) {
        Set<String> renewed = store.renew(conn, ownerId, ids);
        if (renewed.size() == ids.size()) {
            return new LeaseRenewal(renewed, Set.of());
        }
        List<String> others = ids.stream().filter(id -> !renewed.contains(id)).toList();
        return new LeaseRenewal(renewed, store.stillHeld(conn, ownerId, others));
    }
}
