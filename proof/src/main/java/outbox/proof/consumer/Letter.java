package outbox.proof.consumer;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import outbox.EventEnvelope;

/**
 * An event on its way to a consumer.
 *
 * @param outbox the table that it comes from
 */
public record Letter(String outbox, EventEnvelope event) {

    private static final String EVENT_ID = "event-id";
    private static final String EVENT_TYPE = "event-type";
    private static final String ACCOUNT = "account";

    /** As what is sent to a port of this machine. */
    public HttpRequest request(int port, Duration patience) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/" + outbox))
                .timeout(patience)
                .header(EVENT_ID, event.eventId())
                .header(EVENT_TYPE, event.eventType())
                .header(ACCOUNT, event.aggregateId())
                .POST(HttpRequest.BodyPublishers.ofString(event.payloadJson()))
                .build();
    }

    static Letter read(HttpExchange exchange) throws IOException {
        String payload = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        return new Letter(
                exchange.getRequestURI().getPath().substring(1),
                EventEnvelope.builder(exchange.getRequestHeaders().getFirst(EVENT_TYPE))
                        .eventId(exchange.getRequestHeaders().getFirst(EVENT_ID))
                        .aggregateId(exchange.getRequestHeaders().getFirst(ACCOUNT))
                        .payloadJson(payload)
                        .build());
    }
}
