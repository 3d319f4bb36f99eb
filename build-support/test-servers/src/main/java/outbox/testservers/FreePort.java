package outbox.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import outbox.testservers.processes.TestServerException;

/**
 * Finds ports for servers below the range that the system hands out by itself (from 32768 on Linux). From inside that
 * range a client's connection could take the port while its server is down for a restart.
 */
public final class FreePort {

    private static final int LOWEST = 20_000;
    private static final int BEYOND = 32_000;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    /** A port on which nobody listens now. */
    public static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
            if (isFree(port)) {
                return port;
            }
        }
        throw new TestServerException("no free port between " + LOWEST + " and " + BEYOND);
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
