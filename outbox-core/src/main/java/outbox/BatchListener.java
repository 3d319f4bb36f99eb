package outbox;

import java.util.List;

/** A listener that gets many events at once; see {@link Listener#batch}. Must be thread-safe. */
@FunctionalInterface
public interface BatchListener {

    /**
     * Handles the events. If it throws, nobody knows which of them is to blame: both halves of the batch are delivered again, each alone, until
     * what fails stands alone. So a listener whose work cannot be undone returns outcomes instead.
     *
     * @param batch one delivery for each event, never empty
     * @return what has become of each delivery, in their order; {@link Outcome#allDone} if nothing has failed
     */
    List<Outcome> onEvents(List<Delivery> batch) throws Exception;
}
