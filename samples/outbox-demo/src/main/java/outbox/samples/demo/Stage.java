package outbox.samples.demo;

import java.nio.file.Path;

/** What a chapter has to play with. */
record Stage(Database database, Path workDirectory, Printout out) {}
