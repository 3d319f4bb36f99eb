package outbox.cluster;

/** How much is done. */
enum Form {
    SHORT(50_000, 4, 2_000),
    LONG(200_000, 30, 20_000);

    /** Events of a run without faults. */
    final int events;

    /** How many nodes are killed in a run with kills. */
    final int kills;

    /** Events that each node of a run with faults writes. */
    final int eventsPerNode;

    Form(int events, int kills, int eventsPerNode) {
        this.events = events;
        this.kills = kills;
        this.eventsPerNode = eventsPerNode;
    }

    static Form ofThisRun() {
        return "long".equals(System.getProperty("outbox.cluster.form")) ? LONG : SHORT;
    }
}
