package outbox.poller;

/** A handler that is its own link. */
interface LinkedHandler extends OutboxPollerHandler, PollLink {

    @Override
    default PollLink link() {
        return this;
    }
}
