package outbox.dispatch;

/** A delay that doubles with each failure up to a maximum. */
final class Doubling {

    private Doubling() {}

    /**
     * The delay after that many failures, of which there is at least one. Compares by shifting the limit down instead of the delay up,
     * which could overflow.
     */
    static long delayMs(long baseDelayMs, long maxDelayMs, int failures) {
        if (baseDelayMs == 0) {
            return 0;
        }
        int doublings = failures - 1;
        if (doublings >= Long.SIZE - 1 || baseDelayMs > maxDelayMs >> doublings) {
            return maxDelayMs;
        }
        return baseDelayMs << doublings;
    }
}
