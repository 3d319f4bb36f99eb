package outbox.dispatch;

import java.time.Instant;

/** What has become of a delivery, to be written to the table. */
sealed interface Outcome {

    Done DONE = new Done();

    record Done() implements Outcome {}

    record Retry(Instant nextAt, String error) implements Outcome {}

    record Dead(String error) implements Outcome {}
}
