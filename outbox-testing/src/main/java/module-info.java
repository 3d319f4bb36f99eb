/** For tests of applications that use the outbox, and of stores that implement it. */
module outbox.testing {
    requires transitive outbox.core;
    requires static org.jspecify;
    requires static transitive org.assertj.core;
    requires static transitive org.junit.jupiter.api;
    requires static org.junit.jupiter.params;

    exports outbox.testing;
    exports outbox.testing.contract;

    opens outbox.testing.contract;
}
