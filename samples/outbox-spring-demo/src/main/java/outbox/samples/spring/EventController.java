package outbox.samples.spring;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import outbox.Outbox;
import outbox.dead.DeadEvents;
import outbox.model.EventStatus;
import outbox.samples.spring.EventQueries.EventView;

/** Shows events, newest first, and replays the dead ones. */
@RestController
@RequestMapping("/events")
class EventController {

    private static final int MOST_EVENTS = 1000;
    private static final int REPLAY_BATCH = 100;

    /** How many events got another chance. */
    record Replayed(int replayed) {}

    private final EventQueries events;
    private final DeadEvents deadEvents;

    EventController(EventQueries events, Outbox outbox) {
        this.events = events;
        this.deadEvents = outbox.deadEvents();
    }

    @GetMapping
    List<EventView> events(
            @RequestParam(required = false) @Nullable String status, @RequestParam(defaultValue = "100") int limit) {
        return status == null ? events.newest(valid(limit)) : events.newest(statusOf(status), valid(limit));
    }

    @GetMapping("/dead")
    List<EventView> dead(@RequestParam(defaultValue = "100") int limit) {
        return events.newest(EventStatus.DEAD, valid(limit));
    }

    @PostMapping("/dead/{id}/replay")
    Replayed replay(@PathVariable String id) {
        if (!deadEvents.replay(id)) {
            throw new InvalidInputException("id", "must be the id of a DEAD event", id);
        }
        return new Replayed(1);
    }

    @PostMapping("/dead/replay")
    Replayed replayAll() {
        return new Replayed(deadEvents.replayAll(null, null, REPLAY_BATCH));
    }

    private static EventStatus statusOf(String status) {
        try {
            return EventStatus.valueOf(status);
        } catch (IllegalArgumentException e) {
            throw new InvalidInputException(
                    "status", "must be one of " + Arrays.toString(EventStatus.values()), status);
        }
    }

    private static int valid(int limit) {
        if (limit < 1 || limit > MOST_EVENTS) {
            throw new InvalidInputException("limit", "must be a number from 1 to " + MOST_EVENTS, limit);
        }
        return limit;
    }
}
