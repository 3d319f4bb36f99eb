package outbox.proof;

class MySqlRoughNetworkIT extends RoughNetworkSuite {

    @Override
    SpoiltDatabase database() {
        return SpoiltDatabase.MYSQL;
    }
}
