package outbox.samples.spring;

import org.jspecify.annotations.Nullable;

/** What the caller sent breaks a rule; the answer names the field, the rule and the value. */
class InvalidInputException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String field;
    private final String rule;
    private final String value;

    InvalidInputException(String field, String rule, @Nullable Object value) {
        super(field + " " + rule + ", was " + value);
        this.field = field;
        this.rule = rule;
        this.value = String.valueOf(value);
    }

    String field() {
        return field;
    }

    String rule() {
        return rule;
    }

    String value() {
        return value;
    }
}
