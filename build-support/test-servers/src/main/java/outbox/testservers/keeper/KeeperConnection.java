package outbox.testservers.keeper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import outbox.testservers.processes.TestServerException;

/**
 * One conversation between a test JVM and a keeper. The keeper greets with its token; the client names a database; the
 * keeper answers {@code ready} with address, user and password, or {@code failed} with the reason, and hangs up.
 */
final class KeeperConnection implements AutoCloseable {

    private static final Duration GREETING_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(10);
    private static final String READY = "ready";
    private static final String FAILED = "failed";

    private final Socket socket;
    private final BufferedReader in;
    private final PrintWriter out;

    KeeperConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        this.out = new PrintWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
    }

    /** A connection to the keeper at that address, if it is still there. */
    static Optional<KeeperConnection> open(KeeperAddress address) {
        try {
            Socket socket = new Socket();
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), address.port()), (int)
                    GREETING_TIMEOUT.toMillis());
            socket.setSoTimeout((int) GREETING_TIMEOUT.toMillis());
            KeeperConnection connection = new KeeperConnection(socket);
            if (address.token().equals(connection.in.readLine())) {
                return Optional.of(connection);
            }
            connection.close();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * The client's part.
     *
     * @throws IOException if the keeper went away
     * @throws TestServerException if the server cannot be had
     */
    Coordinates ask(String kind) throws IOException {
        socket.setSoTimeout((int) ANSWER_TIMEOUT.toMillis());
        send(kind);
        String verdict = line();
        if (verdict.equals(READY)) {
            return new Coordinates(line(), line(), line());
        }
        throw new TestServerException(in.lines().collect(Collectors.joining("\n")));
    }

    /** The keeper's part: the client's wish, empty if it wanted to know only whether the keeper is there. */
    Optional<String> receive(KeeperAddress own) throws IOException {
        send(own.token());
        return Optional.ofNullable(in.readLine());
    }

    void ready(Coordinates server) {
        send(READY, server.jdbcUrl(), server.user(), server.password());
    }

    void failed(String reason) {
        send(FAILED, reason);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private String line() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("the keeper hung up");
        }
        return line;
    }

    private void send(String... lines) {
        List.of(lines).forEach(line -> out.print(line + "\n"));
        out.flush();
    }
}
