package outbox.boot.autoconfigure;

/** In which databases missing tables are created at the start. */
public enum SchemaInitialization {
    /** In databases that live in this process and end with it. */
    EMBEDDED,
    /** In all. */
    ALWAYS,
    /** In none. */
    NEVER
}
