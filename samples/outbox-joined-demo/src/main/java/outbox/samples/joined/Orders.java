package outbox.samples.joined;

/** Places orders; each implementation does so with another library, which begins and ends the transaction. */
interface Orders {

    /**
     * Saves an order and writes its event.
     *
     * @param lastStep done inside of the transaction; if it throws, there is neither order nor event
     */
    void place(String id, Runnable lastStep);
}
