package outbox.wholebuild;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;

/** The Java in the documentation compiles, and the samples that show a whole way do what they say. */
class DocumentationTest {

    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern DECLARATION = Pattern.compile(
            "^(@\\w+.*\\n)*(public |final |abstract )*(class|enum|interface|record) ", Pattern.MULTILINE);

    private static final String FRAME = """
            import io.micrometer.core.instrument.*;
            import java.math.*;
            import java.nio.charset.StandardCharsets;
            import java.security.GeneralSecurityException;
            import java.security.SecureRandom;
            import java.sql.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import javax.crypto.Cipher;
            import javax.crypto.KeyGenerator;
            import javax.crypto.SecretKey;
            import javax.crypto.spec.GCMParameterSpec;
            import javax.sql.*;
            import org.junit.jupiter.api.*;
            import org.springframework.beans.factory.annotation.*;
            import org.springframework.context.annotation.*;
            import org.springframework.jdbc.core.*;
            import org.springframework.stereotype.*;
            import org.springframework.transaction.annotation.*;
            import outbox.*;
            import outbox.EventListener;
            import outbox.boot.*;
            import outbox.boot.test.*;
            import outbox.bus.*;
            import outbox.config.*;
            import outbox.dead.*;
            import outbox.dispatch.*;
            import outbox.domain.*;
            import outbox.inbox.*;
            import outbox.inbox.jdbc.*;
            import outbox.jackson2.*;
            import outbox.jackson3.*;
            import outbox.jdbc.*;
            import outbox.jdbc.dialect.*;
            import outbox.jdbc.JdbcTemplate;
            import outbox.jdbc.purge.*;
            import outbox.jdbc.relay.*;
            import outbox.jdbc.store.*;
            import outbox.jdbc.tx.*;
            import outbox.jdbc.wakeup.*;
            import outbox.micrometer.*;
            import outbox.model.*;
            import outbox.poller.*;
            import outbox.purge.*;
            import outbox.registry.*;
            import outbox.spi.*;
            import outbox.spring.*;
            import outbox.testing.*;
            import outbox.testing.contract.*;
            import outbox.util.*;

            public class Snippet {
                DataSource dataSource;
                Outbox outbox;
                ConnectionProvider connections;
                AbstractJdbcOutboxStore store;
                ThreadLocalTxContext txContext;
                JdbcTransactionManager transactions;
                DefaultListenerRegistry listeners;
                OutboxDispatcher dispatcher;
                OutboxPoller poller;
                OutboxWriter writer;
                MeterRegistry meterRegistry;
                EventEnvelope event;

                public void run(DataSource given) throws Exception {
                    dataSource = given;
                    {
            %s
                    }
                }

            %s
            }
            """;

    @TempDir
    private Path work;

    @TestFactory
    Stream<DynamicTest> every_java_block_compiles() throws IOException {
        return documents().flatMap(file -> {
            List<Block> blocks = javaBlocks(file);
            return Stream.iterate(0, i -> i < blocks.size(), i -> i + 1)
                    .map(i -> DynamicTest.dynamicTest(
                            Sources.root().relativize(file) + ", Java block " + (i + 1),
                            () -> compile(blocks.get(i), Files.createTempDirectory(work, "block"))));
        });
    }

    @Test
    void the_first_sample_of_the_readme_needs_ten_lines_and_an_empty_database() throws Exception {
        Block sample = javaBlocks(Sources.root().resolve("README.md")).get(0);
        assertThat(sample.text().lines().filter(line -> !line.isBlank()).count())
                .as("lines of the sample")
                .isLessThanOrEqualTo(10);
        assertPrints(sample, emptyDatabase(), "deliver {\"orderId\":42}");
    }

    @Test
    void the_domain_events_of_the_guide_reach_their_handler() throws Exception {
        Block sample = javaBlocks(Sources.root().resolve("docs/domain-events.md")).stream()
                .filter(block -> block.text().contains("recordPulledDomainEvents"))
                .findFirst()
                .orElseThrow();
        JdbcConnectionPool dataSource = emptyDatabase();
        try (Connection conn = dataSource.getConnection()) {
            OutboxSchema.create(conn, "h2", TableName.DEFAULT);
        }
        assertPrints(sample, dataSource, "Ann ordered for 3.60");
    }

    /** Whoever adds a version of the table says so to those who upgrade, and to whose history of migrations begins behind it. */
    @Test
    void the_pages_on_upgrades_know_the_newest_version_of_the_table() {
        int newest = OutboxSchema.versions("postgresql").newest();
        String upgrading = Sources.read(Sources.root().resolve("UPGRADING.md"));
        String operate = Sources.read(Sources.root().resolve("docs/operate.md"));
        for (int version = 1; version <= newest; version++) {
            assertThat(upgrading).as("UPGRADING.md").contains("\n| " + version + " | ");
            assertThat(operate).as("docs/operate.md").contains("\n| " + version + " | `688269.1.0" + version + "__");
        }
        assertThat(operate).contains("`baselineVersion` 688269.1.0" + newest + " (it has all");
    }

    /** Written by one process and delivered by another one, so it has been in the table. */
    @Test
    void what_the_page_on_encryption_writes_is_read_again_and_cannot_be_read_in_the_table() throws Exception {
        Block sample = javaBlocks(Sources.root().resolve("docs/bytes-and-encryption.md")).stream()
                .filter(block -> block.text().contains("new AesGcmPayloads"))
                .findFirst()
                .orElseThrow();
        JdbcConnectionPool dataSource = emptyDatabase();
        try (Connection whileItRuns = dataSource.getConnection()) {
            assertPrints(sample, dataSource, "deliver {\"orderId\":42}");
            try (ResultSet row = whileItRuns
                    .createStatement()
                    .executeQuery("SELECT payload, headers, payload_bytes FROM outbox_event")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).doesNotContain("orderId");
                assertThat(row.getString(2)).isEqualTo("{\"outbox-payload-key\":\"2026-11\"}");
                assertThat(new String(row.getBytes(3), StandardCharsets.ISO_8859_1))
                        .doesNotContain("orderId");
            }
        }
    }

    private static JdbcConnectionPool emptyDatabase() {
        return JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    private void assertPrints(Block sample, JdbcConnectionPool dataSource, String expected) throws Exception {
        Path classes = compile(sample, work);
        CountDownLatch printed = new CountDownLatch(1);
        PrintStream before = System.out;
        System.setOut(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                if (line.equals(expected)) {
                    printed.countDown();
                }
            }
        });
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?> snippet = loader.loadClass("Snippet");
            snippet.getMethod("run", DataSource.class)
                    .invoke(snippet.getConstructor().newInstance(), dataSource);
            assertThat(printed.await(30, TimeUnit.SECONDS)).as(expected).isTrue();
        } finally {
            System.setOut(before);
            dataSource.dispose();
        }
    }

    private static Stream<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.walk(Sources.root().resolve("docs"))) {
            List<Path> files = docs.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
            return Stream.concat(Stream.of(Sources.root().resolve("README.md")), files.stream());
        }
    }

    /** A block of statements may use the types that are declared before it on the same page. */
    private record Block(String text, String declaredBefore) {

        boolean declares() {
            return declares(text);
        }

        static boolean declares(String block) {
            return DECLARATION.matcher(block).find();
        }
    }

    private static List<Block> javaBlocks(Path file) {
        List<Block> blocks = new ArrayList<>();
        StringBuilder declared = new StringBuilder();
        JAVA_BLOCK
                .matcher(Sources.read(file))
                .results()
                .map(match -> match.group(1))
                .forEach(text -> {
                    blocks.add(new Block(text, declared.toString()));
                    if (Block.declares(text)) {
                        declared.append(text);
                    }
                });
        return blocks;
    }

    private static Path compile(Block block, Path directory) throws IOException {
        Path source = directory.resolve("Snippet.java");
        Files.writeString(
                source,
                block.declares()
                        ? FRAME.formatted("", block.text())
                        : FRAME.formatted(block.text(), block.declaredBefore()));
        Sources.compile(List.of(source), directory, "-classpath", System.getProperty("java.class.path"));
        return directory;
    }
}
