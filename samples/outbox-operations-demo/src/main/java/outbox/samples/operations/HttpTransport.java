package outbox.samples.operations;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import outbox.EventEnvelope;
import outbox.domain.OutboxTransport;

/** Publishes events by HTTP. The partner knows a repetition by its key. */
final class HttpTransport implements OutboxTransport {

    static final String IDEMPOTENCY_KEY = "Idempotency-Key";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI endpoint;

    HttpTransport(URI endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public void publish(EventEnvelope event) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .timeout(Duration.ofSeconds(10))
                .header("Content-Type", "application/json")
                .header(IDEMPOTENCY_KEY, event.eventId())
                .POST(HttpRequest.BodyPublishers.ofString(event.payloadJson()))
                .build();
        int status =
                client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status / 100 != 2) {
            throw new IOException("the partner answered " + status);
        }
    }
}
