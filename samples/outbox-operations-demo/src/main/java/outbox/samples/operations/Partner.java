package outbox.samples.operations;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Another company's HTTP endpoint, on the loopback address of this process. It is not available for the first request. */
final class Partner implements AutoCloseable {

    private final HttpServer server;
    private final AtomicInteger requests = new AtomicInteger();
    private final Set<String> invoices = ConcurrentHashMap.newKeySet();

    private Partner(HttpServer server) {
        this.server = server;
    }

    static Partner open() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Partner partner = new Partner(server);
        server.createContext("/invoices", partner::answer);
        server.start();
        return partner;
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/invoices");
    }

    int requests() {
        return requests.get();
    }

    int invoices() {
        return invoices.size();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            boolean available = requests.incrementAndGet() > 1;
            if (available) {
                invoices.add(exchange.getRequestHeaders().getFirst(HttpTransport.IDEMPOTENCY_KEY));
            }
            exchange.sendResponseHeaders(available ? 204 : 503, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
