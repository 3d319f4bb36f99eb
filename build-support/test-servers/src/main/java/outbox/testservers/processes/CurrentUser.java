package outbox.testservers.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user that this process runs as. */
public final class CurrentUser {

    private CurrentUser() {}

    public static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return "root".equals(System.getProperty("user.name"));
        }
    }
}
