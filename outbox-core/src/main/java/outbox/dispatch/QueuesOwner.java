package outbox.dispatch;

/** What {@link EventQueues} ask of those around them. */
interface QueuesOwner {

    /** Events wait for the end of another one: it is to be recorded without delay. */
    void someoneWaits();

    /** The event will not be delivered here. */
    void giveBack(QueuedEvent event);

    /** Events wait in the table that can be taken: some have left that waited here, or only few of their key are left. */
    void moreInTable();
}
