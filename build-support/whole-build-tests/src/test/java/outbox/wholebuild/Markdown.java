package outbox.wholebuild;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The links and anchors of a page, as a browser of the repository shows it. */
record Markdown(List<String> links, List<String> anchors) {

    private static final Pattern FENCED =
            Pattern.compile("^\\s*```.*?^\\s*```\\s*$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)[^)]*\\)");
    private static final Pattern LINKED_TEXT = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+?) *$", Pattern.MULTILINE);
    private static final Pattern NOT_IN_AN_ANCHOR = Pattern.compile("[^\\p{L}\\p{N}_\\- ]");

    static Markdown of(String page) {
        String text = FENCED.matcher(page).replaceAll("");
        return new Markdown(links(text), anchors(text));
    }

    private static List<String> links(String text) {
        return LINK.matcher(CODE.matcher(text).replaceAll("code"))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** A second heading of the same text has the anchor of the first with -1 behind it, a third one with -2. */
    private static List<String> anchors(String text) {
        Map<String, Integer> seen = new HashMap<>();
        List<String> anchors = new ArrayList<>();
        for (MatchResult heading : HEADING.matcher(text).results().toList()) {
            String anchor = anchor(heading.group(1));
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    private static String anchor(String heading) {
        String shown = LINKED_TEXT.matcher(heading).replaceAll("$1");
        return NOT_IN_AN_ANCHOR
                .matcher(shown.toLowerCase(Locale.ROOT))
                .replaceAll("")
                .replace(' ', '-');
    }
}
