package outbox.samples.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import outbox.samples.demo.DispatchCounts.Kind;

/** A process dies between commit and delivery; another one opens the same database and delivers the rest. */
final class CrashAndRecovery implements Chapter {

    private static final int PATIENCE_SECONDS = 20;
    private static final String FILE = "shop";

    @Override
    public String name() {
        return "crash";
    }

    @Override
    public String title() {
        return "A process is killed, and nothing that was committed is lost";
    }

    @Override
    public Database openDatabase(Path workDirectory) {
        return Database.inFile(workDirectory.resolve(FILE));
    }

    @Override
    public void play(Stage stage) throws Exception {
        Database database = stage.database();
        Printout out = stage.out();
        List<String> receipts = liveAndDie(stage.workDirectory());
        out.line("another process commits %d orders and is killed while it delivers them", receipts.size());
        long pending = pending(database);
        out.line(
                "on disk: %d orders, %d of their events not DONE",
                Tally.of(database).committed(), pending);
        recover(database, (int) pending);
        out.line("this process opens the same database and delivers these %d", pending);
        out.line("delivered in the end: %d of %d", deliveredOf(database, receipts), receipts.size());
        out.line(
                "delivered twice: %d, delivered just before the kill and not yet noted as DONE",
                Tally.of(database).twice());
        out.line(
                "of the order that was never committed: %d deliveries",
                deliveredOf(database, List.of(DoomedShop.UNCOMMITTED)));
        BrokenPromise.unlessEqual(receipts.size(), deliveredOf(database, receipts), "delivered of what was committed");
    }

    /** Returns the orders of which the other process said that they are committed. */
    private static List<String> liveAndDie(Path workDirectory) throws IOException, InterruptedException {
        Path receipts = workDirectory.resolve("receipts.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedShop.class.getName(),
                        workDirectory.resolve(FILE).toString())
                .redirectOutput(receipts.toFile())
                .redirectError(workDirectory.resolve("killed-process.log").toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new BrokenPromise("the other process did not end within " + PATIENCE_SECONDS + " s");
            }
        } finally {
            process.destroyForcibly();
        }
        BrokenPromise.unlessEqual(DoomedShop.EXIT_CODE, process.exitValue(), "exit code of the killed process");
        return Files.readAllLines(receipts);
    }

    private static long pending(Database database) throws SQLException {
        return database.count("SELECT COUNT(*) FROM outbox_event WHERE status <> 1");
    }

    private static void recover(Database database, int pending) throws Exception {
        try (Shop shop = Shop.open(database, Shop.Settings.USUAL, event -> {})) {
            shop.counts().await(Kind.DONE, pending);
        }
    }

    private static int deliveredOf(Database database, List<String> orders) throws SQLException {
        int delivered = 0;
        for (String order : orders) {
            delivered += (int) database.count(
                    "SELECT COUNT(DISTINCT order_id) FROM delivery_journal WHERE order_id = ? AND outcome = 'DELIVERED'",
                    order);
        }
        return delivered;
    }
}
