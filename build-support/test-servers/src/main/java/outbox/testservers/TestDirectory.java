package outbox.testservers;

import java.nio.file.Path;

/** The directory of all that this module writes; the build gives all test JVMs the same one. */
final class TestDirectory {

    static final String PROPERTY = "outbox.test.dir";

    private TestDirectory() {}

    static Path current() {
        return Path.of(System.getProperty(PROPERTY, "target/test-servers"))
                .toAbsolutePath()
                .normalize();
    }
}
