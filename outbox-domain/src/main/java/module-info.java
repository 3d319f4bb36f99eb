/** Domain events: aggregates raise them, the outbox records them, listeners get them typed. */
module outbox.domain {
    requires transitive outbox.core;
    requires static org.jspecify;

    exports outbox.domain;
}
