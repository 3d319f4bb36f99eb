package outbox.testservers.keeper;

/** The servers that a keeper has. It does not know what they are, so that nothing here depends on the databases. Thread-safe. */
public interface SharedServers {

    /**
     * Where the server of that kind can be reached, when it answers; started if need be.
     *
     * @throws RuntimeException if it cannot be had; the message is what the client gets to see
     */
    Coordinates running(String kind);

    /** Stops all of them, whatever state they are in, and deletes their data. */
    void end();
}
