/** The consumer side: events that arrive more than once are handled once in effect. */
module outbox.inbox {
    requires transitive outbox.jdbc;
    requires static org.jspecify;

    exports outbox.inbox;
    exports outbox.inbox.jdbc;
}
