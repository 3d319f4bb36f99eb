package outbox.benchmarks.database;

/** Hears what connections do. Called by the thread that does it. */
public interface JdbcObserver {

    /** Hears nothing. */
    JdbcObserver NONE = new JdbcObserver() {};

    /** Statements were executed. */
    default void executed(int statements) {}

    /** A transaction has just been committed, explicitly or because the connection is in autocommit mode. */
    default void committed() {}
}
