package outbox.poller;

/**
 * How many rows a poll may fetch. A handler may not know how large they are, and be wrong if it thinks so; if memory runs out over a poll, the
 * next one fetches half as many, and after each full batch that fits twice as many again. A poll that found less proves nothing.
 */
final class BatchLimit {

    private final int batchSize;
    private int most;

    BatchLimit(int batchSize) {
        this.batchSize = batchSize;
        this.most = batchSize;
    }

    int limit(int capacity) {
        return Math.min(most, capacity);
    }

    void fitted(int limit, int found) {
        if (limit == most && found >= limit) {
            most = (int) Math.min(batchSize, 2L * most);
        }
    }

    void didNotFit(int limit) {
        most = Math.max(1, limit / 2);
    }
}
