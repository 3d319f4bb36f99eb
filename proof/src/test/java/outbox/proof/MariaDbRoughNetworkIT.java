package outbox.proof;

class MariaDbRoughNetworkIT extends RoughNetworkSuite {

    @Override
    SpoiltDatabase database() {
        return SpoiltDatabase.MARIADB;
    }
}
