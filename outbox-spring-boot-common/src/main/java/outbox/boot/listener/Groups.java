package outbox.boot.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outcome;
import outbox.boot.listener.Group.Standing;

/**
 * All groups that take a type of events, called one after another. Each has a record of the event, with attempts and a next time of its own; the
 * event itself counts no attempts. It is delivered when all groups have handled it, and is DEAD when those that have not have given up.
 *
 * <p>If the process dies between a group's commit and the end of the event, the event comes again and the record keeps the group from
 * handling it twice. If it dies while dead groups are made ready for a replay, those that were ready try once more before the event is DEAD.
 */
final class Groups {

    /** Less would be a loop. */
    private static final Duration SHORTEST = Duration.ofMillis(10);

    private final List<Group> groups;

    /** A group that has given up. */
    private record GivenUp(Group group, String error) {}

    Groups(GroupRecords records, List<ListenerMethod> methods, ListenerDefaults defaults) {
        this.groups = methods.stream()
                .map(method -> new Group(Objects.requireNonNull(method.said().group()), method, records, defaults))
                .toList();
    }

    Listener listener(String name, ListenerDefaults defaults, boolean alone) {
        Listener listener = Listener.of((EventEnvelope event, Delivery delivery) -> deliver(delivery))
                .named(name);
        Listener threaded = ListenerMethod.onThreads(listener, name, defaults, alone);
        return groups.stream().anyMatch(Group::holdsKey) ? threaded.holdingKeyAfterDead() : threaded;
    }

    private Outcome deliver(Delivery delivery) {
        Duration earliest = null;
        List<String> waiting = new ArrayList<>();
        List<GivenUp> dead = new ArrayList<>();
        for (Group group : groups) {
            Standing standing = group.deliver(delivery);
            if (standing instanceof Standing.Waiting later) {
                waiting.add(group.name());
                earliest = earliest == null || later.delay().compareTo(earliest) < 0 ? later.delay() : earliest;
            } else if (standing instanceof Standing.Dead given) {
                dead.add(new GivenUp(group, given.error()));
            }
        }
        if (earliest != null) {
            return Outcome.later(
                    earliest.compareTo(SHORTEST) < 0 ? SHORTEST : earliest,
                    "to be tried again by " + String.join(", ", waiting) + "; their records tell why");
        }
        return dead.isEmpty() ? Outcome.done() : end(delivery, dead);
    }

    private static Outcome end(Delivery delivery, List<GivenUp> dead) {
        dead.forEach(one -> one.group().getReadyForReplay(delivery));
        return Outcome.dead(dead.stream()
                .map(one -> "group " + one.group().name() + ": " + one.error())
                .collect(Collectors.joining("; ")));
    }
}
