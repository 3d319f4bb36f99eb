package outbox.benchmarks.peer;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

/** What peers have in common: they are measured on PostgreSQL only, with documented and with tuned settings. */
abstract class PeerCandidate implements Candidate {

    private final String name;
    private final boolean usesDefaults;

    PeerCandidate(String name, boolean usesDefaults) {
        this.name = usesDefaults ? name + "-defaults" : name;
        this.usesDefaults = usesDefaults;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final Role role() {
        return Role.PEER;
    }

    @Override
    public final boolean usesDefaults() {
        return usesDefaults;
    }

    @Override
    public final boolean runsOn(DatabaseKind kind) {
        return kind == DatabaseKind.POSTGRESQL;
    }
}
