package outbox.jdbc;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jacoco.agent.rt.RT;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** How many source files one delivery passes, and that the documentation names them. */
class DeliveryWalkTest {

    private static final int MOST_HOT = 74;
    private static final int MOST_COLD = 77;

    private static final Path PAGE = Path.of("..", "docs", "life-of-an-event.md");
    private static final String TITLE = "## The files it passes\n";
    private static final List<String> ROOMS = List.of("write", "flow", "deliver", "record", "database");
    private static final Pattern ROOM = Pattern.compile("^- (\\w+): (.*)$", Pattern.MULTILINE);
    private static final Pattern FILE = Pattern.compile("`(\\w+)`");

    private static List<String> hot;
    private static List<String> cold;

    @BeforeAll
    static void walk(@TempDir Path work) throws Exception {
        Path output = work.resolve("walk.txt");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-javaagent:" + agent() + "=output=none,includes=outbox.*,excludes=*DeliveryWalkProgram*",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DeliveryWalkProgram.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(program.waitFor(1, TimeUnit.MINUTES)).as("ends").isTrue();
        } finally {
            program.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output);
        assertThat(program.exitValue()).as(String.join("\n", lines)).isZero();
        hot = files("hot ", lines);
        cold = files("cold ", lines);
        System.out.println("hot " + hot.size() + "\n" + String.join("\n", hot));
        System.out.println("cold " + cold.size() + "\n" + String.join("\n", cold));
    }

    private static File agent() throws Exception {
        return new File(
                RT.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static List<String> files(String path, List<String> lines) {
        String found =
                lines.stream().filter(line -> line.startsWith(path)).findFirst().orElseThrow();
        return List.of(found.substring(path.length()).split(" "));
    }

    @Test
    void a_delivery_passes_few_files() {
        assertThat(hot).hasSizeLessThanOrEqualTo(MOST_HOT);
        assertThat(cold).hasSizeLessThanOrEqualTo(MOST_COLD);
    }

    /** Which room a file is in is decided in the documentation; one that is new there stands where its package suggests. */
    @Test
    void the_documentation_names_them() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(TITLE);
        int next = page.indexOf("\n## ", begin + 1);
        String section = begin < 0 ? "" : page.substring(begin, next < 0 ? page.length() : next + 1);
        String expected = section(roomsIn(section));
        assertThat(section.strip())
                .overridingErrorMessage("In %s it should say:%n%n%s", PAGE, expected)
                .isEqualTo(expected.strip());
    }

    private static Map<String, String> roomsIn(String section) {
        Map<String, String> rooms = new TreeMap<>();
        for (Matcher room = ROOM.matcher(section); room.find(); ) {
            FILE.matcher(room.group(2)).results().forEach(file -> rooms.put(file.group(1), room.group(1)));
        }
        return rooms;
    }

    private static String section(Map<String, String> rooms) {
        return TITLE + """

                One delivery on an outbox that has run for a while, with claim locking and H2: the source files of which any code runs, as
                `DeliveryWalkTest` finds them.

                **Hot**, %d files:

                %s

                **Cold**, %d files:

                %s
                """.formatted(hot.size(), list(hot, rooms), cold.size(), list(cold, rooms));
    }

    private static String list(List<String> files, Map<String, String> rooms) {
        Map<String, List<String>> byRoom = files.stream()
                .sorted(Comparator.comparing(DeliveryWalkTest::simpleName))
                .collect(Collectors.groupingBy(
                        file -> rooms.getOrDefault(simpleName(file), suggestedRoom(file)),
                        Collectors.mapping(file -> "`" + simpleName(file) + "`", Collectors.toList())));
        return ROOMS.stream()
                .filter(byRoom::containsKey)
                .map(room -> "- " + room + ": " + String.join(", ", byRoom.get(room)))
                .collect(Collectors.joining("\n"));
    }

    private static String simpleName(String file) {
        return file.substring(file.lastIndexOf('.') + 1);
    }

    private static String suggestedRoom(String file) {
        if (file.startsWith("outbox.jdbc.")) {
            return "database";
        }
        if (file.startsWith("outbox.dispatch.")) {
            return "deliver";
        }
        return file.startsWith("outbox.poller.") ? "flow" : "write";
    }
}
