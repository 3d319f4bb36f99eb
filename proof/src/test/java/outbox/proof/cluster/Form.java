package outbox.proof.cluster;

/** How much is done. */
enum Form {
    SHORT(50_000, 3, 2_000, 4),
    LONG(200_000, 30, 20_000, 30);

    /** Events of a run without faults. */
    final int events;

    /** How many nodes are killed in a run with kills. */
    final int kills;

    /** Events of each node in a run with faults, or at least so many. */
    final int eventsPerNode;

    /** How often the active node loses its lock. */
    final int failOvers;

    Form(int events, int kills, int eventsPerNode, int failOvers) {
        this.events = events;
        this.kills = kills;
        this.eventsPerNode = eventsPerNode;
        this.failOvers = failOvers;
    }

    static Form ofThisRun() {
        return "long".equals(System.getProperty("outbox.proof.form")) ? LONG : SHORT;
    }
}
