package outbox.proof.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.function.Consumer;

/** One connection through the proxy. */
final class Passage {

    private static final int CHUNK = 16 * 1024;

    private final Socket client;
    private final Socket server;
    private final Spoil spoil;
    private final Consumer<Passage> ended;
    private volatile boolean deaf;

    Passage(Socket client, Socket server, Spoil spoil, Consumer<Passage> ended) {
        this.client = client;
        this.server = server;
        this.spoil = spoil;
        this.ended = ended;
    }

    static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    void begin() throws IOException {
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        start("proxy to server", () -> run(this::passRequests));
        start("proxy to client", () -> run(this::passAnswers));
    }

    private interface Work {
        void run() throws IOException;
    }

    private void run(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            // Either side has gone; so does the other one.
        }
        cut();
    }

    private void passRequests() throws IOException {
        InputStream from = client.getInputStream();
        OutputStream to = server.getOutputStream();
        byte[] bytes = new byte[CHUNK];
        for (int length = from.read(bytes); length >= 0; length = from.read(bytes)) {
            spoil.holdUp();
            Spoil.Fate fate = spoil.fateOf(bytes, length);
            if (fate == Spoil.Fate.LOST) {
                return;
            }
            deaf = fate == Spoil.Fate.ANSWER_LOST;
            to.write(bytes, 0, length);
            to.flush();
        }
    }

    private void passAnswers() throws IOException {
        InputStream from = server.getInputStream();
        OutputStream to = client.getOutputStream();
        byte[] bytes = new byte[CHUNK];
        for (int length = from.read(bytes); length >= 0; length = from.read(bytes)) {
            spoil.holdUp();
            if (deaf) {
                return; // the server has answered, so it has done what it was told; nobody will know
            }
            to.write(bytes, 0, length);
            to.flush();
        }
    }

    void endAnswers() {
        try {
            client.shutdownOutput();
        } catch (IOException e) {
            cut();
        }
    }

    void cut() {
        ended.accept(this);
        close(client);
        close(server);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use any more, in whatever state it is.
        }
    }
}
