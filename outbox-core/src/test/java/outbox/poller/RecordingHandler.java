package outbox.poller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;

/** Takes events until it is told to refuse or to fail. */
final class RecordingHandler implements LinkedHandler {

    final List<String> offered = new ArrayList<>();
    final List<String> taken = new ArrayList<>();
    final List<Integer> attempts = new ArrayList<>();
    final List<String> windows = new ArrayList<>();
    final List<String> wishes = new ArrayList<>();
    final List<String> claims = new ArrayList<>();
    PollTrigger trigger;
    String name;
    int capacity = Integer.MAX_VALUE;
    String refuseFrom;
    String failAt;
    Runnable onHandle = () -> {};

    @Override
    public boolean handle(EventEnvelope event, int attemptsSoFar) {
        offered.add(event.eventId());
        onHandle.run();
        if (event.eventId().equals(failAt)) {
            throw new IllegalStateException("handler is broken");
        }
        if (event.eventId().equals(refuseFrom)) {
            return false;
        }
        taken.add(event.eventId());
        attempts.add(attemptsSoFar);
        return true;
    }

    @Override
    public int availableCapacity() {
        return capacity;
    }

    @Override
    public void pollStarting() {
        windows.add("start");
    }

    @Override
    public void pollFinished() {
        windows.add("finish");
    }

    @Override
    public void rowsDidNotFit() {
        wishes.add("too large");
    }

    @Override
    public String claimsAs(String ownerId, Duration timeout) {
        claims.add(ownerId + " for " + timeout);
        return name == null ? ownerId : name;
    }

    @Override
    public void connect(PollTrigger pollTrigger) {
        trigger = pollTrigger;
    }

    @Override
    public void pollWhenRoomFor(int events) {
        wishes.add("room for " + events);
    }

    @Override
    public void pollWhenEnded() {
        wishes.add("end");
    }
}
