package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;

/**
 * What can still be written as ours, to be delivered from memory.
 *
 * @param events how many
 * @param bytes and how much memory they may take
 */
record HotRoom(int events, long bytes) {

    static final HotRoom NONE = new HotRoom(0, 0);

    boolean hasRoomFor(List<EventEnvelope> batch) {
        return batch.size() <= events && sizeOf(batch) <= bytes;
    }

    private static long sizeOf(List<EventEnvelope> batch) {
        long size = 0;
        for (EventEnvelope event : batch) {
            size += event.sizeInMemory();
        }
        return size;
    }

    /** The first events of the batch that may be delivered at once, as many as fit. */
    List<EventEnvelope> firstOf(List<EventEnvelope> batch) {
        List<EventEnvelope> first = new ArrayList<>();
        long left = bytes;
        for (EventEnvelope event : batch) {
            if (!event.isDelayed()) {
                left -= event.sizeInMemory();
                if (left < 0 || first.size() >= events) {
                    break;
                }
                first.add(event);
            }
        }
        return first;
    }
}
