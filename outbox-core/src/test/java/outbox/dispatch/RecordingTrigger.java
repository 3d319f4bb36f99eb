package outbox.dispatch;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import outbox.poller.PollTrigger;

/** Keeps the requests instead of polling. */
final class RecordingTrigger implements PollTrigger {

    final List<String> requests = new CopyOnWriteArrayList<>();

    @Override
    public void pollNow() {
        requests.add("now");
    }

    @Override
    public void pollAt(Instant due) {
        requests.add(due.toString());
    }
}
