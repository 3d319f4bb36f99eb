package outbox.testservers.keeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * Where a keeper listens.
 *
 * @param port on the loopback interface
 * @param token what this keeper greets with, so that nobody takes a later user of the port for it
 */
record KeeperAddress(int port, String token) {

    static Optional<KeeperAddress> read(Path file) throws IOException {
        try {
            List<String> lines = Files.readAllLines(file);
            return Optional.of(new KeeperAddress(Integer.parseInt(lines.get(0)), lines.get(1)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    void write(Path file) throws IOException {
        Path partial = file.resolveSibling(file.getFileName() + ".partial");
        Files.write(partial, List.of(String.valueOf(port), token));
        Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
