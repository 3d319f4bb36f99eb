package outbox.benchmarks.peer;

/** The call that transaction-outbox writes down and makes later. */
public interface GruelboxReceiver {

    /** Receives an event. */
    void receive(String payload);
}
