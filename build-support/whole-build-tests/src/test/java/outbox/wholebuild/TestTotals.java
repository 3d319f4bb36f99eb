package outbox.wholebuild;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Prints how many tests ran, for each module and for each database, and how many of the latter with several processes, from the
 * reports of the whole build.
 */
public final class TestTotals {

    private static final Map<String, String> DATABASES =
            Map.of("H2", "H2", "Postgres", "PostgreSQL", "MySql", "MySQL", "MariaDb", "MariaDB");

    private static final String CLUSTER_MODULE = "proof";

    private record Totals(int tests, int failed, int skipped, double seconds) {

        static final Totals NONE = new Totals(0, 0, 0, 0);

        Totals plus(Totals other) {
            return new Totals(
                    tests + other.tests, failed + other.failed, skipped + other.skipped, seconds + other.seconds);
        }
    }

    private TestTotals() {}

    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        Map<String, Totals> modules = new TreeMap<>();
        Map<String, Totals> databases = new TreeMap<>();
        Map<String, Totals> clusters = new TreeMap<>();
        Totals all = Totals.NONE;
        for (Path report : reports(root)) {
            Element suite = read(report);
            Totals totals = totalsOf(suite);
            all = all.plus(totals);
            String module = moduleOf(root, report);
            modules.merge(module, totals, Totals::plus);
            databaseOf(suite.getAttribute("name")).ifPresent(database -> {
                databases.merge(database, totals, Totals::plus);
                if (module.equals(CLUSTER_MODULE)) {
                    clusters.merge(database, totals, Totals::plus);
                }
            });
        }
        print("Tests by module", modules);
        print("Tests by database", databases);
        print("Of these, several processes", clusters);
        System.out.printf("%n%d passed, %d failed, %d skipped%n", passed(all), all.failed, all.skipped);
    }

    private static Optional<String> databaseOf(String suite) {
        String name = suite.substring(suite.lastIndexOf('.') + 1);
        return DATABASES.keySet().stream()
                .filter(prefix -> name.startsWith(prefix) && name.endsWith("IT"))
                .findFirst()
                .map(DATABASES::get);
    }

    private static int passed(Totals totals) {
        return totals.tests - totals.failed - totals.skipped;
    }

    private static List<Path> reports(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().contains("-reports"))
                    .filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
                    .sorted()
                    .toList();
        }
    }

    private static Element read(Path report) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getDocumentElement();
    }

    /** Counts the tests themselves: the suite's own numbers leave out those in nested classes. */
    private static Totals totalsOf(Element suite) {
        return new Totals(
                count(suite, "testcase"),
                count(suite, "failure") + count(suite, "error"),
                count(suite, "skipped"),
                Double.parseDouble(suite.getAttribute("time").replace(",", "")));
    }

    private static int count(Element suite, String tag) {
        return suite.getElementsByTagName(tag).getLength();
    }

    private static String moduleOf(Path root, Path report) {
        Path relative = root.relativize(report);
        int end = 0;
        while (!relative.getName(end).toString().equals("target")) {
            end++;
        }
        return relative.subpath(0, end).toString();
    }

    private static void print(String title, Map<String, Totals> rows) {
        System.out.printf("%n%-36s %7s %7s %8s %9s%n", title, "passed", "failed", "skipped", "seconds");
        rows.forEach((name, totals) -> System.out.printf(
                "%-36s %7d %7d %8d %9.1f%n", name, passed(totals), totals.failed, totals.skipped, totals.seconds));
    }
}
