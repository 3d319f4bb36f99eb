package outbox.jdbc.dialect;

/** What tells an optimizer how to find rows. */
public interface Hints {

    /** Says nothing: the optimizer finds rows by primary key on its own. */
    Hints NONE = new Hints() {};

    /** What stands behind the table's name in statements that must find their rows by primary key. */
    default String primaryKey() {
        return "";
    }

    /** What stands behind the table's name in a query that must use the index of that name. */
    default String index(String name) {
        return "";
    }

    /** Whether {@link #index} says anything, so that it is worth asking for the name. */
    default boolean namesIndexes() {
        return false;
    }

    /**
     * A statement that deletes events and must find them by primary key: one that looks at others would wait for those who hold them.
     *
     * @param condition names the events
     * @param events how many it names
     */
    default String delete(String table, String condition, int events) {
        return "DELETE FROM " + table + " WHERE " + condition;
    }
}
