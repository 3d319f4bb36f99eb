/** Lets the outbox write in transactions that Spring manages. */
module outbox.spring {
    requires transitive outbox.core;
    requires spring.jdbc;
    requires spring.tx;
    requires static org.jspecify;

    exports outbox.spring;
}
