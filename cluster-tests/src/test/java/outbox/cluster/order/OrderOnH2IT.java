package outbox.cluster.order;

/** One process on a file, which the next process opens after its death. */
class OrderOnH2IT extends OrderSuite {

    @Override
    String dialect() {
        return "h2";
    }

    /** Without the delay, because a commit would only be in the memory of the process that is killed. */
    @Override
    OrderSettings database(long seed) {
        String url = "jdbc:h2:file:" + directory.resolve("database") + ";WRITE_DELAY=0";
        return new OrderSettings(url, "sa", "", directory, LEASE, seed, 0);
    }

    @Override
    void dropDatabase() {}

    @Override
    int nodes() {
        return 1;
    }
}
