package outbox.internal.queue;

/** Elements for tests: words, of which those that begin with c are cold. */
enum Words implements Elements<String> {
    INSTANCE;

    static FairQueue<String> queue(int hotCapacity, int coldCapacity) {
        return new FairQueue<>(INSTANCE, hotCapacity, coldCapacity, Long.MAX_VALUE);
    }

    @Override
    public String idOf(String word) {
        return word;
    }

    @Override
    public boolean isHot(String word) {
        return !word.startsWith("c");
    }

    @Override
    public long sizeOf(String word) {
        return word.length();
    }
}
