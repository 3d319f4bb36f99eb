package outbox.testservers.files;

import java.nio.file.Path;

/** The directory of all that this module writes; the build gives all test JVMs the same one. */
public final class TestDirectory {

    public static final String PROPERTY = "outbox.test.dir";

    private TestDirectory() {}

    public static Path current() {
        return Path.of(System.getProperty(PROPERTY, "target/test-servers"))
                .toAbsolutePath()
                .normalize();
    }
}
