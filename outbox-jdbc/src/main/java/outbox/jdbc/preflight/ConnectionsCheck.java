package outbox.jdbc.preflight;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import outbox.spi.Preflight;

/** Whether the pool has enough connections for what the outbox keeps and what it works with. */
final class ConnectionsCheck implements PreflightCheck {

    @Override
    public String name() {
        return "connections";
    }

    @Override
    public void look(Trial trial) {
        OptionalInt size = trial.work().connections().maxConnections();
        if (size.isEmpty() || !trial.needs(Preflight.Need.DELIVERS)) {
            return;
        }
        int kept = kept(trial.work());
        List<String> workers = workers(trial.work());
        int wanted = kept + workers.size();
        String pool = "The pool has at most " + size.getAsInt() + " connection(s)";
        String wayOut = "; give it at least " + wanted + " beside those of the application and of BacklogGauges";
        if (kept > 0) {
            pool += ", of which " + kept + " are kept by single active and wake-ups";
            wayOut += ", or give single active and wake-ups a data source of their own";
        }
        if (size.getAsInt() <= kept) {
            trial.refuse(pool + ": none is left for " + String.join(", ", workers) + ", and nothing would be delivered"
                    + wayOut);
        } else if (size.getAsInt() < wanted) {
            trial.warn(pool + ": " + String.join(", ", workers) + " wait for each other" + wayOut);
        }
    }

    @SuppressWarnings("ReferenceEquality") // two equal pools are two pools
    private static int kept(Preflight.Work work) {
        Object source = work.connections().source();
        return (int) work.held().stream().filter(held -> held == source).count();
    }

    /** Who may have a connection at the same time as the others. */
    private static List<String> workers(Preflight.Work work) {
        List<String> workers = new ArrayList<>(List.of("claims", "outcomes"));
        if (work.needs(Preflight.Need.LEASES)) {
            workers.add("renewals of leases");
            workers.add("the look for events of joined transactions");
        }
        if (work.needs(Preflight.Need.DELETES)) {
            workers.add("the purge");
        }
        return workers;
    }
}
