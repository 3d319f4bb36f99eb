package outbox.samples.demo;

import java.nio.file.Path;
import java.sql.SQLException;

/** One thing that the demo shows, on a database of its own. */
interface Chapter {

    /** A short name for the closing table. */
    String name();

    /** What the chapter shows, in one sentence. */
    String title();

    /** Opens the chapter's database; by default an empty one in memory. */
    default Database openDatabase(Path workDirectory) throws SQLException {
        return Database.inMemory();
    }

    /**
     * Plays the chapter and leaves every committed order delivered.
     *
     * @throws BrokenPromise if something else happened than was promised
     */
    void play(Stage stage) throws Exception;
}
