package outbox.proof.database;

/**
 * Rows that somebody else may lock while they are needed.
 *
 * @param key the column that identifies them
 * @param where which rows of the table
 */
public record Contended(String table, String key, String where) {}
