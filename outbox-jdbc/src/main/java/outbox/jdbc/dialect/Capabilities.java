package outbox.jdbc.dialect;

/** What a database can do in one statement where others need two. Each is asked for on its own; by default nothing. */
public interface Capabilities {

    /** Nothing beyond what every database understands. */
    Capabilities PORTABLE = new Capabilities() {};

    /** Whether an update of rows that a query in the same statement has found can return them: {@code WITH … UPDATE … FROM … RETURNING}. */
    default boolean updatesReturning() {
        return false;
    }

    /** Whether an insert of several rows of values can return their sequences: {@code INSERT … RETURNING}, all of it or nothing. */
    default boolean insertsReturning() {
        return false;
    }

    /**
     * Whether PostgreSQL's way to insert is understood: an array for each column, {@code ON CONFLICT DO NOTHING RETURNING}, and inserts
     * inside of queries, so that an event in order learns from its own insert how it stands.
     */
    default boolean insertsArrays() {
        return false;
    }

    /** Whether one index has the pending events of both states in their order; otherwise each state is looked up on its own. */
    default boolean ordersPendingInOneIndex() {
        return false;
    }

    /** Whether a range of an index is found by comparing rows of values: {@code (a, b) >= (?, ?)}. */
    default boolean comparesRows() {
        return false;
    }

    /** How the events of some keys are found. */
    default KeyLookup keyLookup() {
        return KeyLookup.LISTS;
    }

    /** How a consume record is written unless it is there. */
    default Upsert upsert() {
        return Upsert.NONE;
    }

    /** The ways to find the unfinished events of some keys through their index. */
    enum KeyLookup {
        /** Lists of values; any database. */
        LISTS,
        /** An array for each column, and a look into the index for each key: {@code CROSS JOIN LATERAL}. */
        LATERAL_ARRAYS,
        /** An array for each column and a join for each state. */
        ARRAYS_FOR_EACH_STATE
    }

    /** The ways to insert a row or to learn of the one that is there. */
    enum Upsert {
        /** A plain insert that fails. */
        NONE,
        /** {@code INSERT … ON CONFLICT DO NOTHING RETURNING} inside of a query, with locks by name that end with the transaction. */
        ON_CONFLICT,
        /** {@code INSERT … ON DUPLICATE KEY UPDATE}, which tells what it found by {@code LAST_INSERT_ID}. */
        ON_DUPLICATE_KEY,
        /** {@code SELECT … FROM OLD TABLE (MERGE …)}. */
        MERGE
    }
}
