package outbox.jdbc.dialect;

/** What a database may mean by an exception. */
public enum Failure {

    /** A row with the same key is there already. */
    DUPLICATE,
    /** The database rolled the transaction back because of a deadlock. */
    DEADLOCK,
    /** It gave up waiting for a lock; nothing but the statement was undone, unless {@link Failures#endsTransaction()} says otherwise. */
    LOCK_TIMEOUT,
    /** It rolled the transaction back because others have changed what it has seen. */
    SERIALIZATION,
    /** It does not write. */
    READ_ONLY,
    /** A text is no JSON. */
    NOT_JSON,
    /** A value fails a check of the table. */
    CHECK,
    /** There is no such table, schema or database. */
    MISSING,
    /** There is no such column. */
    NO_COLUMN,
    /** This user may not do that. */
    DENIED
}
