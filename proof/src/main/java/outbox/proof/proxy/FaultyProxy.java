package outbox.proof.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between clients and a server, both on this machine, and passes on what they say until it is told to spoil it. Knows nothing of
 * what passes but its bytes.
 */
public final class FaultyProxy implements AutoCloseable {

    private final InetSocketAddress server;
    private final ServerSocket door;
    private final Set<Passage> passages = ConcurrentHashMap.newKeySet();
    private final Spoil spoil = new Spoil();
    private volatile boolean refusing;

    private FaultyProxy(InetSocketAddress server) throws IOException {
        this.server = server;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** Opens a port that leads to a server on this machine. */
    public static FaultyProxy to(int serverPort) throws IOException {
        FaultyProxy proxy = new FaultyProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
        Passage.start("proxy door " + proxy.port(), proxy::letIn);
        return proxy;
    }

    /** Where clients connect. */
    public int port() {
        return door.getLocalPort();
    }

    private void letIn() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                if (refusing) {
                    client.close();
                } else {
                    open(client);
                }
            } catch (IOException e) {
                // The door was closed, or the server is not there: then the client has been sent away.
            }
        }
    }

    private void open(Socket client) throws IOException {
        Socket inner = new Socket();
        try {
            inner.connect(server);
            requireSomebodyElse(inner);
        } catch (IOException e) {
            client.close();
            inner.close();
            throw e;
        }
        Passage passage = new Passage(client, inner, spoil, passages::remove);
        passages.add(passage);
        passage.begin();
    }

    /** Where nobody listens, the system may have given the new connection that very port: then it has reached itself. */
    private static void requireSomebodyElse(Socket socket) throws IOException {
        if (socket.getLocalPort() == socket.getPort()) {
            throw new IOException("Nobody listens on port " + socket.getPort());
        }
    }

    /** How many connections are open. */
    public int connections() {
        return passages.size();
    }

    /** Ends all connections at once, as if a cable had been pulled and both sides had noticed. */
    public void cut() {
        passages.forEach(Passage::cut);
    }

    /** Tells clients that the server will say no more, while what they say is still passed on. */
    public void halfClose() {
        passages.forEach(Passage::endAnswers);
    }

    /** Sends new clients away, or lets them in again. */
    public void refuse(boolean now) {
        refusing = now;
    }

    /** Holds up everything that passes, in both directions; zero for no longer. */
    public void delay(Duration time) {
        spoil.delay(time);
    }

    /**
     * Swallows everything in both directions while connections stay open and new ones are let in, as a firewall that has forgotten them
     * does. What was swallowed arrives when it is over.
     */
    public void silence(boolean now) {
        spoil.silence(now);
    }

    /** Waits until somebody has said something into the silence. */
    public void awaitUnheard() throws InterruptedException {
        spoil.awaitUnheard();
    }

    /**
     * The next time a client says that, whatever its case, it reaches the server, but the answer does not come back: the connection ends
     * instead. So the client cannot know what has become of its commit.
     */
    public void swallowAnswerTo(String word) {
        spoil.swallowAnswerTo(word);
    }

    /** The next time a client says that, it does not reach the server: the connection ends instead. */
    public void swallow(String word) {
        spoil.swallow(word);
    }

    /** Whoever has not been caught by then is spared. */
    public void spare() {
        spoil.spare();
    }

    @Override
    public void close() throws IOException {
        door.close();
        cut();
        silence(false);
    }
}
