package outbox.testservers.keeper;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The keeper's log: its standard output, which its launcher directs into a file. */
public final class KeeperLog {

    private KeeperLog() {}

    public static void write(String message) {
        System.out.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + message);
    }
}
