package outbox.internal.lease;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.testsupport.Events;
import outbox.testsupport.StubConnections;

/** Leases of a process called node-1, without a thread. */
public final class TestLeases {

    public static final String NODE = "node-1";
    public static final Duration TIMEOUT = Duration.ofSeconds(40);

    private TestLeases() {}

    public static LeaseBook off() {
        return alone(System::nanoTime);
    }

    public static LeaseBook on(LongSupplier nanos) {
        LeaseBook book = alone(nanos);
        book.begin(NODE, TIMEOUT);
        return book;
    }

    /** As if there were no other outbox in the process. */
    private static LeaseBook alone(LongSupplier nanos) {
        return new LeaseBook(nanos, new SuspectsAtLarge(nanos));
    }

    /** Turns leases on, as a poller does. */
    public static void begin(LeaseBook book, String ownerId, Duration timeout) {
        book.begin(ownerId, timeout);
    }

    public static LeaseKeeper keeper(LeaseBook book, LeaseStore store, ConnectionProvider connections) {
        return new LeaseKeeper(book, store, connections, null, new LeaseKeeper.Holder() {

            @Override
            public boolean canWork() {
                return true;
            }

            @Override
            public boolean canBegin() {
                return true;
            }

            @Override
            public Collection<String> overdue() {
                return List.of();
            }

            @Override
            public void overdueRenewed(Collection<String> eventIds) {}

            @Override
            public int discardWaiting() {
                return 0;
            }
        });
    }

    /** Inserts events as ours, in a transaction that is not committed yet. */
    public static void insert(LeaseBook book, LeaseStore store, String... ids) {
        long since = book.now();
        store.insertLeased(null, Stream.of(ids).map(Events::event).toList(), book.ownerId());
        List.of(ids).forEach(id -> book.inserted(id, since, true));
    }

    /** Does what a keeper does from time to time. */
    public static void keep(LeaseBook book, LeaseStore store, LeaseKeeper.Holder holder) {
        new LeaseKeeper(book, store, StubConnections.autoCommitting(), null, holder).keepLeases();
    }

    /** Renews what the holder calls overdue. */
    public static void renewOverdue(LeaseBook book, LeaseStore store, LeaseKeeper.Holder holder) {
        new LeaseKeeper(book, store, StubConnections.autoCommitting(), null, holder).renewOverdue();
    }

    public static void release(LeaseBook book, LeaseStore store) {
        keeper(book, store, StubConnections.autoCommitting()).releaseGivenBack();
    }

    public static void renew(LeaseBook book, LeaseStore store) {
        keeper(book, store, StubConnections.autoCommitting()).renew();
    }
}
