package outbox.jdbc.store;

/** The best ways to insert one event and to insert several. */
record InsertStatements(InsertStatement one, InsertStatement several) {

    InsertStatement forSize(int events) {
        return events == 1 ? one : several;
    }
}
