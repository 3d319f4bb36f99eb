package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.internal.text.EventNames;
import outbox.internal.text.SafeLog;
import outbox.model.EventRoute;
import outbox.registry.ListenerRegistry;

/** Logs which kinds of events wait for another process, one line for each. */
record WaitingRoutesLog(ListenerRegistry registry, EventNames names) implements WaitingRoutes.Teller {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    @Override
    public void waits(EventRoute route) {
        String registered = RouteNames.registeredIn(registry);
        LOG.log(
                Level.WARNING,
                RouteNames.noListenerFor(route) + " in this process"
                        + (registered.isEmpty() ? "" : " (" + registered + ")") + "; its events stay in "
                        + names.ofTable() + " for a process that has one");
    }

    @Override
    public void more() {
        LOG.log(
                Level.WARNING,
                "Events of " + WaitingRoutes.MOST_TOLD + " kinds in " + names.ofTable()
                        + " have no listener in this process; further ones are not named. Do event types contain ids?");
    }

    @Override
    public void goesOn(EventRoute route) {
        LOG.log(Level.INFO, "There is a listener now: " + RouteNames.of(route));
    }
}
