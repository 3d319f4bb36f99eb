package outbox.cluster.order;

/** How much is done. */
enum OrderForm {
    SHORT(6_000, 1_500, 2, 1, 1),
    LONG(90_000, 15_000, 30, 10, 10);

    /** For how long there is load at least; the faults are spread over it. */
    final int loadMillis;

    /** How many events there are at least, however busy the machine is. */
    final int events;

    final int kills;
    final int pauses;
    final int restarts;

    OrderForm(int loadMillis, int events, int kills, int pauses, int restarts) {
        this.loadMillis = loadMillis;
        this.events = events;
        this.kills = kills;
        this.pauses = pauses;
        this.restarts = restarts;
    }

    static OrderForm ofThisRun() {
        return "long".equals(System.getProperty("outbox.cluster.form")) ? LONG : SHORT;
    }
}
