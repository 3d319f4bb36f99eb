/** Domain events and headers as JSON, with Jackson 2 or 3. */
module outbox.jackson {
    requires transitive outbox.domain;
    requires static transitive com.fasterxml.jackson.databind;
    requires static com.fasterxml.jackson.datatype.jsr310;
    requires static transitive tools.jackson.databind;
    requires static org.jspecify;

    exports outbox.jackson2;
    exports outbox.jackson3;
}
