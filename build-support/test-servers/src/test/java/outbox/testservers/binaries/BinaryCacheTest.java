package outbox.testservers.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.testservers.processes.TestServerException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class BinaryCacheTest {

    @TempDir
    Path root;

    @Test
    void directory_is_filled_once_whoever_asks() {
        AtomicInteger fillings = new AtomicInteger();
        BinaryCache cache = new BinaryCache(root);
        BinaryCache.Filler filler = directory -> {
            fillings.incrementAndGet();
            Files.writeString(directory.resolve("file"), "content");
        };

        CompletableFuture.allOf(IntStream.range(0, 8)
                        .mapToObj(i -> CompletableFuture.runAsync(() -> cache.unpacked("server", filler)))
                        .toArray(CompletableFuture<?>[]::new))
                .join();

        assertThat(fillings).hasValue(1);
        assertThat(root.resolve("server/file")).hasContent("content");
    }

    @Test
    void half_filled_directory_is_never_used() {
        BinaryCache cache = new BinaryCache(root);
        BinaryCache.Filler failing = directory -> {
            Files.writeString(directory.resolve("half"), "");
            throw new IOException("disk full");
        };

        assertThatThrownBy(() -> cache.unpacked("server", failing))
                .isInstanceOf(TestServerException.class)
                .hasMessageContaining("disk full");

        Path filled = cache.unpacked("server", directory -> Files.writeString(directory.resolve("whole"), ""));
        assertThat(filled).isDirectoryNotContaining("glob:**half").isDirectoryContaining("glob:**whole");
    }
}
