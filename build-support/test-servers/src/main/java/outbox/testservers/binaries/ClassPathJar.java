package outbox.testservers.binaries;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Path;
import outbox.testservers.processes.TestServerException;

/** Finds the jars of the class path that carry a server, by something in them. */
final class ClassPathJar {

    private ClassPathJar() {}

    static Path holding(String resource) {
        try {
            URLConnection connection = locate(resource).openConnection();
            if (connection instanceof JarURLConnection jar) {
                return Path.of(new URI(jar.getJarFileURL().toString()));
            }
            throw new TestServerException(resource + " must be in a jar, was at " + connection.getURL());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new TestServerException("the jar with " + resource + " has a strange address", e);
        }
    }

    /** The jar's name, which includes its version, so that it can name what was unpacked from it. */
    static String nameOf(Path jar) {
        return jar.getFileName().toString().replaceFirst("\\.jar$", "");
    }

    static InputStream open(String resource) throws IOException {
        return locate(resource).openStream();
    }

    private static URL locate(String resource) {
        URL url = ClassPathJar.class.getClassLoader().getResource(resource);
        if (url == null) {
            throw new TestServerException(resource + " is not on the class path: outbox-test-servers must be there"
                    + " together with its own dependencies");
        }
        return url;
    }
}
