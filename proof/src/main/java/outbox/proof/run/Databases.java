package outbox.proof.run;

import outbox.proof.database.DatabaseKind;
import outbox.proof.database.HurtDatabase;

/** The server of the nodes and that of the consumers, which are hurt each by itself. */
public record Databases(HurtDatabase ofNodes, HurtDatabase ofConsumers) implements AutoCloseable {

    /** Starts them. */
    public static Databases start(DatabaseKind kind) {
        HurtDatabase ofNodes = HurtDatabase.start(kind);
        try {
            return new Databases(ofNodes, HurtDatabase.start(kind));
        } catch (RuntimeException | Error e) {
            ofNodes.close();
            throw e;
        }
    }

    /** What they are. */
    public DatabaseKind kind() {
        return ofNodes.kind();
    }

    @Override
    public void close() {
        try (ofNodes) {
            ofConsumers.close();
        }
    }
}
