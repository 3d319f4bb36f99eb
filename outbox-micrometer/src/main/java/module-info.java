/** Exports the outbox's numbers to a Micrometer registry. */
module outbox.micrometer {
    requires transitive outbox.core;
    requires transitive micrometer.core;
    requires static org.jspecify;

    exports outbox.micrometer;
}
