package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.PeriodicTask;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.NodeMode;
import outbox.spi.OutboxStore;
import outbox.spi.Preflight;
import outbox.spi.WakeUpSource;

/**
 * How a poller begins: it checks its table, or waits for a gate to open that somebody else has put before it. As long as that is closed it takes
 * nothing, delivers nothing from memory, and keeps no lock from others.
 */
final class PollerStart {

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    /**
     * What is started.
     *
     * @param gate null if the table is to be checked
     */
    record Parts(
            OutboxStore store,
            RowSource source,
            PollLink link,
            PeriodicTask schedule,
            @Nullable ActiveRelay relay,
            @Nullable WakeUpSource wakeUps,
            @Nullable BooleanSupplier gate) {}

    private final PollRound.Parts poller;
    private final Parts parts;
    private final AtomicBoolean wakingUp = new AtomicBoolean();
    /** Whether what is written here is left in the table. */
    private volatile boolean holding;

    PollerStart(PollRound.Parts poller, Parts parts) {
        this.poller = poller;
        this.parts = parts;
    }

    /** Starts everything, or only the schedule if the gate is closed. Returns whether it is open. */
    boolean begin() {
        if (!parts.schedule.isClosed() && parts.gate == null) {
            checkSchema();
        }
        if (!isOpen()) {
            holding = true;
            parts.link.deliverOnlyWhile(() -> false);
        }
        parts.schedule.start();
        return goOn();
    }

    /** Starts the rest if the gate has opened. Returns whether it has. */
    boolean goOn() {
        if (!isOpen()) {
            return false;
        }
        if (holding) {
            holding = false;
            ActiveRelay relay = parts.relay;
            parts.link.deliverOnlyWhile(relay == null ? () -> true : relay::isActive);
        }
        startOthers();
        return true;
    }

    private boolean isOpen() {
        return parts.gate == null || parts.gate.getAsBoolean();
    }

    private void startOthers() {
        parts.link.deliversAs(mode(), ClaimSettings.generateOwnerId());
        if (parts.relay != null) {
            parts.relay.start();
        }
        if (parts.wakeUps != null && wakingUp.compareAndSet(false, true)) {
            parts.wakeUps.start(parts.schedule::runSoon);
        }
    }

    private NodeMode mode() {
        if (!parts.source.locks()) {
            return NodeMode.SINGLE_PROCESS;
        }
        if (parts.source.isOrdered()) {
            return parts.relay == null ? NodeMode.ORDERED : NodeMode.ORDERED_SINGLE_ACTIVE;
        }
        return parts.relay == null ? NodeMode.LEASES : NodeMode.SINGLE_ACTIVE;
    }

    private void checkSchema() {
        try {
            ShortTransaction.run(poller.connections(), conn -> {
                // The more demanding check first, so that one message names everything that is missing.
                parts.source.checkSchema(conn);
                parts.link.checkSchema(conn);
                parts.store.checkSchema(conn);
                return true;
            });
        } catch (SQLException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot check " + poller.names().ofTable() + ": the database is not available yet",
                    LoggedError.of(e));
        }
    }

    /** What is going to be done. */
    Preflight.Work plannedWork() {
        Set<Preflight.Need> needs = EnumSet.of(Preflight.Need.DELIVERS);
        addIf(parts.source.locks(), Preflight.Need.LEASES, needs);
        addIf(parts.source.isOrdered(), Preflight.Need.KEEPS_ORDER, needs);
        addIf(parts.relay != null, Preflight.Need.SINGLE_ACTIVE, needs);
        addIf(parts.wakeUps != null, Preflight.Need.WAKE_UPS, needs);
        List<Object> held = Stream.of(
                        parts.relay == null ? null : parts.relay.holdsConnectionOf(),
                        parts.wakeUps == null ? null : parts.wakeUps.holdsConnectionOf())
                .flatMap(Stream::ofNullable)
                .toList();
        return new Preflight.Work(needs, poller.connections(), held, poller.clock());
    }

    private static void addIf(boolean wanted, Preflight.Need need, Set<Preflight.Need> needs) {
        if (wanted) {
            needs.add(need);
        }
    }
}
