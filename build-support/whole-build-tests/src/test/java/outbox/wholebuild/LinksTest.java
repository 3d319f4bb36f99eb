package outbox.wholebuild;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Whoever follows a link from one page of the repository to another arrives. */
class LinksTest {

    @TempDir
    private Path directory;

    @TestFactory
    Stream<DynamicTest> every_link_of_a_page_leads_somewhere() throws IOException {
        return pages().stream()
                .map(page -> DynamicTest.dynamicTest(
                        Sources.root().relativize(page).toString(),
                        () -> assertThat(deadLinks(page)).as("dead links").isEmpty()));
    }

    @Test
    void a_missing_file_a_missing_anchor_and_a_directory_that_is_gone_are_found() throws IOException {
        Files.writeString(directory.resolve("other.md"), "# Other\n\n## What is `promised`, really?\n");
        Path page = Files.writeString(directory.resolve("page.md"), """
                # Page
                [here](#page) [there](other.md#what-is-promised-really) [elsewhere](https://example.org/none)
                `[code](none.md)`
                ```text
                [fenced](none.md)
                ```
                [1](none.md) [2](other.md#nothing) [3](none/) [4](#nothing) ![5](none.png)
                """);

        assertThat(deadLinks(page)).containsExactly("none.md", "other.md#nothing", "none/", "#nothing", "none.png");
    }

    @Test
    void headings_of_the_same_text_have_anchors_with_numbers() {
        assertThat(Markdown.of("# Purge\n## Purge\n### Purge\n").anchors())
                .containsExactly("purge", "purge-1", "purge-2");
    }

    private static List<String> deadLinks(Path page) {
        return Markdown.of(Sources.read(page)).links().stream()
                .filter(link -> !link.matches("[a-z]+:.*"))
                .filter(link -> !leadsSomewhere(page, link))
                .toList();
    }

    private static boolean leadsSomewhere(Path page, String link) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target = path.isEmpty() ? page : page.resolveSibling(path);
        return Files.exists(target)
                && (hash < 0 || Markdown.of(Sources.read(target)).anchors().contains(link.substring(hash + 1)));
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(Sources.root())) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !isBuilt(Sources.root().relativize(file)))
                    .sorted()
                    .toList();
        }
    }

    /** What a build has unpacked may bring pages of its own. */
    private static boolean isBuilt(Path file) {
        for (Path part : file) {
            if (part.toString().equals("target") || part.toString().equals(".git")) {
                return true;
            }
        }
        return false;
    }
}
