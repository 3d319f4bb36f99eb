package outbox.proof;

class PostgresRoughNetworkIT extends RoughNetworkSuite {

    @Override
    SpoiltDatabase database() {
        return SpoiltDatabase.POSTGRESQL;
    }
}
