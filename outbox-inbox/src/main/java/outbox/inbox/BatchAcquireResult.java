package outbox.inbox;

import java.util.Set;

/**
 * The answer to a consumer that asked for several events. Those that are in neither set have to be asked for one by one.
 *
 * @param acquired ids of events that are the caller's to handle
 * @param succeeded ids of events that were handled before
 */
public record BatchAcquireResult(Set<String> acquired, Set<String> succeeded) {

    public BatchAcquireResult {
        acquired = Set.copyOf(acquired);
        succeeded = Set.copyOf(succeeded);
    }
}
