package outbox.samples.demo;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Plays the chapters one after the other, counts what each of them left in its tables, and sums up. */
final class Programme {

    private static final Logger LOG = System.getLogger(Programme.class.getName());

    private final List<Chapter> chapters;
    private final Path workDirectory;
    private final Printout out;
    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final List<String> broken = new ArrayList<>();

    Programme(List<Chapter> chapters, Path workDirectory, Printout out) {
        this.chapters = chapters;
        this.workDirectory = workDirectory;
        this.out = out;
    }

    /** The whole demo, in its order. */
    static List<Chapter> chapters() {
        return List.of(
                new FastDelivery(),
                new RollbackLeavesNothing(),
                new FlakyListener(),
                new PoisonEvent(),
                new OverflowingBurst(),
                new CrashAndRecovery());
    }

    /** Returns the promises that were broken; none is what everyone hopes for. */
    List<String> play() {
        long start = System.nanoTime();
        out.good("A small shop. Each order and its event are written in one transaction.");
        for (int i = 0; i < chapters.size(); i++) {
            out.heading((i + 1) + ". " + chapters.get(i).title());
            play(chapters.get(i));
        }
        new ClosingTable(tallies).print(out);
        conclude(Duration.ofNanos(System.nanoTime() - start));
        return List.copyOf(broken);
    }

    /** What was counted in each chapter, by its name. */
    Map<String, Tally> tallies() {
        return Map.copyOf(tallies);
    }

    /** A chapter that breaks its promise does not keep the others from being played. */
    private void play(Chapter chapter) {
        try (Database database = chapter.openDatabase(workDirectory)) {
            chapter.play(new Stage(database, workDirectory, out));
            Tally tally = Tally.of(database);
            tallies.put(chapter.name(), tally);
            tally.brokenPromises().forEach(promise -> breaks(chapter, promise));
        } catch (BrokenPromise e) {
            breaks(chapter, String.valueOf(e.getMessage()));
        } catch (Exception e) {
            LOG.log(Level.ERROR, "Chapter " + chapter.name() + " failed", e);
            breaks(chapter, e.toString());
        }
    }

    private void breaks(Chapter chapter, String promise) {
        out.bad("   BROKEN: " + promise);
        broken.add(chapter.name() + ": " + promise);
    }

    private void conclude(Duration time) {
        out.blank();
        if (broken.isEmpty()) {
            out.good(String.format(Locale.ROOT, "All promises kept, in %.1f s.", time.toMillis() / 1000.0));
            return;
        }
        out.bad(broken.size() + " promise(s) broken:");
        broken.forEach(out::line);
    }
}
