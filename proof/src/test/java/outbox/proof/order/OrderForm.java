package outbox.proof.order;

import java.time.Duration;

/** How much is done. */
enum OrderForm {
    SHORT(Duration.ofSeconds(8), 500, 2, 1, 1),
    LONG(Duration.ofSeconds(90), 15_000, 30, 10, 10);

    /** For how long there is load; the faults are spread over it. */
    final Duration load;

    /** How many events there are at least, however busy the machine is. */
    final int events;

    final int kills;
    final int pauses;
    final int restarts;

    OrderForm(Duration load, int events, int kills, int pauses, int restarts) {
        this.load = load;
        this.events = events;
        this.kills = kills;
        this.pauses = pauses;
        this.restarts = restarts;
    }

    static OrderForm ofThisRun() {
        return "long".equals(System.getProperty("outbox.proof.form")) ? LONG : SHORT;
    }
}
