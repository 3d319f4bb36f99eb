package outbox.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user that this process runs as. */
final class CurrentUser {

    private CurrentUser() {}

    static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return "root".equals(System.getProperty("user.name"));
        }
    }
}
