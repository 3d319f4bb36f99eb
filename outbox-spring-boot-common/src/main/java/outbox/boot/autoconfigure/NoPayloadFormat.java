package outbox.boot.autoconfigure;

import java.lang.reflect.Type;
import outbox.boot.InvalidOutboxException;
import outbox.boot.PayloadFormat;

/** What an application has that has no Jackson: payloads are texts, written with the writer and read as {@code String}. */
final class NoPayloadFormat implements PayloadFormat {

    @Override
    public String write(Object payload) {
        throw missing();
    }

    @Override
    public Object read(String json, Type type) {
        throw missing();
    }

    private static InvalidOutboxException missing() {
        return new InvalidOutboxException(
                "there is no mapper bean of Jackson for payloads",
                "add Spring Boot's starter for JSON, or a bean of type PayloadFormat");
    }
}
