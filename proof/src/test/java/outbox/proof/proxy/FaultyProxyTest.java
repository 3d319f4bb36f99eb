package outbox.proof.proxy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testservers.FreePort;

import static org.assertj.core.api.Assertions.assertThat;

/** With a server that answers each line with the same line, and remembers it. */
@Timeout(30)
class FaultyProxyTest {

    private static final int PATIENCE_MILLIS = 10_000;

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private ServerSocket server;
    private FaultyProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Passage.start("echo", this::serve);
        proxy = FaultyProxy.to(server.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Passage.start("echo", () -> echo(socket));
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void echo(Socket socket) {
        try (socket) {
            BufferedReader lines = lines(socket);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                heard.add(line);
                say(socket, line);
            }
        } catch (IOException e) {
            // the client has gone
        }
    }

    private static BufferedReader lines(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void say(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private Socket connect() throws IOException {
        return connect(proxy);
    }

    private static Socket connect(FaultyProxy to) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), to.port());
        socket.setSoTimeout(PATIENCE_MILLIS); // a thread that reads cannot be interrupted
        return socket;
    }

    @Test
    void what_is_said_is_passed_on_in_both_directions() throws IOException {
        try (Socket client = connect()) {
            say(client, "hello");
            assertThat(lines(client).readLine()).isEqualTo("hello");
            assertThat(proxy.connections()).isEqualTo(1);
        }
    }

    @Test
    void a_cut_ends_what_is_open_and_lets_others_in() throws IOException {
        try (Socket client = connect();
                Socket later = new Socket()) {
            say(client, "hello");
            assertThat(lines(client).readLine()).isEqualTo("hello");
            proxy.cut();
            assertThat(isOver(client)).isTrue();
            later.connect(client.getRemoteSocketAddress());
            say(later, "again");
            assertThat(lines(later).readLine()).isEqualTo("again");
        }
    }

    @Test
    void who_is_refused_hears_nothing() throws IOException {
        proxy.refuse(true);
        try (Socket client = connect()) {
            assertThat(isOver(client)).isTrue();
        }
        proxy.refuse(false);
        try (Socket client = connect()) {
            say(client, "hello");
            assertThat(lines(client).readLine()).isEqualTo("hello");
        }
    }

    @Test
    void a_swallowed_answer_ends_the_connection_after_the_server_has_heard() throws IOException {
        proxy.swallowAnswerTo("COMMIT");
        try (Socket client = connect()) {
            say(client, "begin");
            assertThat(lines(client).readLine()).isEqualTo("begin");
            say(client, "commit");
            assertThat(isOver(client)).isTrue();
        }
        assertThat(heard).containsExactly("begin", "commit");
        assertThatNextCommitPasses();
    }

    @Test
    void a_swallowed_word_ends_the_connection_and_the_server_never_hears_it() throws IOException {
        proxy.swallow("commit");
        try (Socket client = connect()) {
            say(client, "Commit");
            assertThat(isOver(client)).isTrue();
        }
        assertThat(heard).isEmpty();
        assertThatNextCommitPasses();
    }

    private void assertThatNextCommitPasses() throws IOException {
        try (Socket client = connect()) {
            say(client, "commit");
            assertThat(lines(client).readLine()).isEqualTo("commit");
        }
    }

    @Test
    void after_a_half_close_the_server_still_hears_and_the_client_does_not() throws Exception {
        try (Socket client = connect()) {
            say(client, "one");
            assertThat(lines(client).readLine()).isEqualTo("one");
            proxy.halfClose();
            assertThat(isOver(client)).isTrue();
            say(client, "two");
            while (!heard.contains("two")) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void a_delay_holds_up_what_passes() throws IOException {
        try (Socket client = connect()) {
            proxy.delay(Duration.ofMillis(50));
            long begin = System.nanoTime();
            say(client, "hello");
            assertThat(lines(client).readLine()).isEqualTo("hello");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        }
    }

    @Test
    void without_a_server_a_client_is_sent_away() throws IOException {
        try (FaultyProxy astray = FaultyProxy.to(FreePort.find());
                Socket client = connect(astray)) {
            assertThat(isOver(client)).isTrue();
        }
    }

    @Test
    void closing_ends_what_is_open() throws IOException {
        try (Socket client = connect()) {
            say(client, "hello");
            assertThat(lines(client).readLine()).isEqualTo("hello");
            proxy.close();

            assertThat(isOver(client)).isTrue();
            assertThat(proxy.connections()).isZero();
        }
    }

    private static boolean isOver(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
