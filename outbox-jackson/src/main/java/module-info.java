/** Domain events and headers as JSON, with Jackson 2 or 3. */
module outbox.jackson {
    requires transitive outbox.domain;
    // Not transitive: whoever compiles against this module would need both Jacksons.
    requires static com.fasterxml.jackson.databind;
    requires static com.fasterxml.jackson.datatype.jsr310;
    requires static tools.jackson.databind;
    requires static org.jspecify;

    exports outbox.jackson2;
    exports outbox.jackson3;
}
