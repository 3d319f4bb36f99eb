package outbox.testservers.keeper;

/**
 * What a client needs to reach a server; the keeper passes it on without a look inside.
 *
 * @param jdbcUrl where
 * @param user as whom
 * @param password with what
 */
public record Coordinates(String jdbcUrl, String user, String password) {}
