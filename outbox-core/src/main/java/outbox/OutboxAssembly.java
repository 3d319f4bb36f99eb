package outbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Unroutable;
import outbox.internal.payload.PayloadTransforms;
import outbox.internal.preflight.PreflightGate;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.ListenerRegistry;
import outbox.spi.EventPurger;
import outbox.spi.RelayLock;

/** Puts the parts of an outbox together, as its builder describes it. */
final class OutboxAssembly {

    private static final Logger LOG = SafeLog.of(Outbox.class);

    private final OutboxBuilder wanted;

    OutboxAssembly(OutboxBuilder wanted) {
        this.wanted = wanted;
    }

    Outbox outbox() {
        PreflightGate preflight =
                new PreflightGate(wanted.store.preflight(), wanted.skippedChecks, wanted.store.tableName());
        if (wanted.createsTable) {
            createMissingTable();
        }
        OutboxPurgeScheduler scheduler = wanted.purges && wanted.purger != null ? newPurge(wanted.purger) : null;
        if (!wanted.delivers) {
            PayloadTransforms transforms = PayloadTransforms.of(wanted.transformer);
            transforms.requireStore(wanted.store);
            WriterHook inserting = TransformingHook.around(WriterHook.counting(wanted.metrics), transforms);
            return new Outbox(wanted, newWriter(inserting), null, null, scheduler, preflight);
        }
        if (wanted.lease == null && wanted.ordered) {
            throw new IllegalArgumentException(
                    "outbox " + wanted.name()
                            + " is ordered, and an event's turn is decided by leases, also in a single process; leave out singleProcess()");
        }
        if (wanted.lease == null && wanted.compacts) {
            throw new IllegalArgumentException("outbox " + wanted.name()
                    + " delivers only the newest event of some keys, and leases tell which others have not begun, also in a single process;"
                    + " leave out singleProcess() or onlyNewest(...)");
        }
        OutboxDispatcher dispatcher = newDispatcher();
        try {
            OutboxWriter writer = newWriter(new DispatcherWriterHook(dispatcher, wanted.metrics));
            return new Outbox(wanted, writer, dispatcher, newPoller(dispatcher, preflight), scheduler, preflight);
        } catch (RuntimeException e) {
            dispatcher.close(); // its threads are already running
            throw e;
        }
    }

    private void createMissingTable() {
        try {
            ShortTransaction.run(wanted.connections, conn -> {
                wanted.store.createTable(conn, wanted.ordered || wanted.compacts);
                return true;
            });
        } catch (SQLException e) {
            throw new OutboxException("Cannot create table " + wanted.name(), e);
        }
    }

    private OutboxWriter newWriter(WriterHook last) {
        return new OutboxWriter(
                wanted.transactions, wanted.store, WriterHooks.of(wanted.allHooks(), last), wanted.newGate());
    }

    private OutboxDispatcher newDispatcher() {
        OutboxDispatcher.Builder settings = OutboxDispatcher.builder()
                .connectionProvider(wanted.connections)
                .outboxStore(wanted.store)
                .listenerRegistry(registry())
                .ordering(wanted.ordered ? Ordering.PER_AGGREGATE : Ordering.NONE)
                .unroutable(Unroutable.WAIT)
                .classifier(FailureClassifier.standard())
                .breaker(BreakerSettings.whenAway())
                .fairWorkers()
                .metrics(wanted.metrics);
        if (wanted.transformer != null) {
            settings.payloadTransformer(wanted.transformer);
        }
        wanted.dispatcherSettings.forEach(more -> more.accept(settings));
        return settings.build();
    }

    private ListenerRegistry registry() {
        if (wanted.givenRegistry != null && !wanted.routes.isEmpty()) {
            throw new IllegalArgumentException("outbox " + wanted.name()
                    + " has both a registry and listeners of its own; register those listeners in the registry");
        }
        return wanted.registry();
    }

    private OutboxPoller newPoller(OutboxDispatcher dispatcher, PreflightGate preflight) {
        OutboxPoller.Builder settings = OutboxPoller.builder()
                .connectionProvider(wanted.connections)
                .outboxStore(wanted.store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .metrics(wanted.metrics);
        if (wanted.store.preflight() != null) {
            settings.startGate(preflight::isOpen);
        }
        if (wanted.lease != null) {
            settings.claimLocking(wanted.lease);
            tellIfWithoutLeases();
        }
        if (wanted.singleActive) {
            settings.singleActive(newRelayLock());
        }
        wanted.pollerSettings.forEach(more -> more.accept(settings));
        return settings.build();
    }

    /** Marks are not fenced then, and locks are not renewed, as the specified store has it. */
    private void tellIfWithoutLeases() {
        if (wanted.store.leases() == null) {
            LOG.log(
                    Level.INFO,
                    "outbox " + wanted.name() + ": " + wanted.store.getClass().getName()
                            + " has no leases, so events are only locked while they wait; with several processes one may be delivered twice");
        }
    }

    private RelayLock newRelayLock() {
        if (wanted.relayLocks == null) {
            throw new IllegalArgumentException("outbox " + wanted.name()
                    + " is to be delivered by one process at a time, but has no lock for that; give one with singleActive(lock),"
                    + " or let all deliver with allActive()");
        }
        return wanted.relayLocks.get();
    }

    private OutboxPurgeScheduler newPurge(EventPurger eventPurger) {
        OutboxPurgeScheduler.Builder settings = OutboxPurgeScheduler.builder()
                .connectionProvider(wanted.connections)
                .purger(eventPurger);
        wanted.purgeSettings.forEach(more -> more.accept(settings));
        return settings.build();
    }
}
