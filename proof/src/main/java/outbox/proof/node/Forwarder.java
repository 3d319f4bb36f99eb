package outbox.proof.node;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.proof.consumer.Letter;
import outbox.proof.process.Trouble;

/** Brings events to consumers in other processes, to one after the other. An event is delivered when a consumer says so. */
final class Forwarder implements EventListener {

    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final int OK = 200;

    /** A consumer that is not there is not asked without a pause, so that it can come back before the attempts are used up. */
    private static final long PAUSE_MILLIS = 250;

    private final String outbox;
    private final List<Integer> ports;
    private final Trouble trouble;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final AtomicInteger turn = new AtomicInteger();

    Forwarder(String outbox, List<Integer> ports, Trouble trouble) {
        this.outbox = outbox;
        this.ports = ports;
        this.trouble = trouble;
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        trouble.befall();
        int port = ports.get(Math.floorMod(turn.getAndIncrement(), ports.size()));
        try {
            HttpResponse<Void> answer = http.send(
                    new Letter(outbox, event).request(port, PATIENCE), HttpResponse.BodyHandlers.discarding());
            if (answer.statusCode() != OK) {
                throw new IllegalStateException("the consumer answered " + answer.statusCode());
            }
        } catch (IOException e) {
            Thread.sleep(PAUSE_MILLIS);
            throw e;
        }
    }
}
