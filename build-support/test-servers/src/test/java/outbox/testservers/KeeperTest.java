package outbox.testservers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import outbox.testservers.keeper.RunDirectory;
import outbox.testservers.keeper.RunOwner;
import outbox.testservers.processes.CommandLine;
import outbox.testservers.processes.ProcessEnd;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class KeeperTest {

    private Process owner;
    private RunDirectory run;

    @BeforeEach
    void startOwner() throws Exception {
        owner = Processes.startIdle();
        run = RunDirectory.of(owner.pid());
    }

    @AfterEach
    void endOwner() {
        owner.destroyForcibly();
        keepers().forEach(Processes::awaitGone);
    }

    @Test
    void second_jvm_of_the_run_gets_the_same_servers() throws Exception {
        List<String> addresses = SecondJvm.addresses(Map.of(), ServerKind.POSTGRESQL, ServerKind.MARIADB);

        assertThat(addresses)
                .containsExactly(
                        TestServers.postgresql().jdbcUrl(),
                        TestServers.mariadb().jdbcUrl());
    }

    @Test
    void another_run_has_servers_of_its_own() throws Exception {
        assertThat(addressesOfOwner(ServerKind.POSTGRESQL))
                .hasSize(1)
                .doesNotContain(TestServers.postgresql().jdbcUrl());
    }

    @Test
    void keeper_servers_and_data_are_gone_when_the_owner_is_killed() throws Exception {
        addressesOfOwner(ServerKind.POSTGRESQL, ServerKind.MYSQL, ServerKind.MARIADB);
        List<ProcessHandle> keepers = keepers();
        List<ProcessHandle> servers = servers();
        assertThat(keepers).hasSize(1);
        assertThat(servers).hasSize(3);

        owner.destroyForcibly();
        servers.forEach(Processes::awaitGone);
        keepers.forEach(Processes::awaitGone);

        assertThat(dataDirectories()).isEmpty();
        assertThat(run.keeperAddress()).doesNotExist();
    }

    @Test
    void killed_keeper_is_replaced_and_its_servers_are_ended() throws Exception {
        List<String> before = addressesOfOwner(ServerKind.POSTGRESQL);
        List<ProcessHandle> orphans = servers();
        ProcessHandle keeper = keepers().get(0);

        keeper.destroyForcibly();
        Processes.awaitGone(keeper);
        List<String> after = addressesOfOwner(ServerKind.POSTGRESQL);

        assertThat(after).hasSize(1).isNotEqualTo(before);
        assertThat(orphans).hasSize(1).allMatch(ProcessEnd::isGone);
        assertThat(dataDirectories()).hasSize(1);
    }

    @Test
    void keeper_of_another_run_ends_what_a_killed_keeper_left() throws Exception {
        addressesOfOwner(ServerKind.MARIADB);
        List<ProcessHandle> orphans = servers();
        ProcessHandle keeper = keepers().get(0);
        keeper.destroyForcibly();
        Processes.awaitGone(keeper);
        owner.destroyForcibly();
        Processes.awaitGone(owner.toHandle());

        Process otherOwner = Processes.startIdle();
        try {
            TestServers.keeper(RunDirectory.of(otherOwner.pid())).ensureRunning();
        } finally {
            otherOwner.destroyForcibly();
        }

        assertThat(orphans).hasSize(1).allMatch(ProcessEnd::isGone);
        assertThat(run.path()).doesNotExist();
    }

    @Test
    void server_that_a_test_started_and_left_is_ended_with_the_run() {
        TestServers.keeper(run).ensureRunning();
        MariaDbServer left = new MariaDbServer(ServerSettings.in(run.newServerDirectory("left")));
        left.start();

        owner.destroyForcibly();
        keepers().forEach(Processes::awaitGone);

        assertThat(left.isRunning()).isFalse();
    }

    private List<String> addressesOfOwner(ServerKind... kinds) throws Exception {
        return SecondJvm.addresses(Map.of(RunOwner.PROPERTY, String.valueOf(owner.pid())), kinds);
    }

    private List<ProcessHandle> keepers() {
        return Processes.mentioning(KeeperProgram.class.getName() + " " + run.owner());
    }

    private List<ProcessHandle> servers() {
        return Processes.mentioning(run.servers() + "/").stream()
                .filter(process -> CommandLine.of(process).contains("/data "))
                .toList();
    }

    private List<Path> dataDirectories() throws Exception {
        if (!Files.exists(run.servers())) {
            return List.of();
        }
        try (Stream<Path> directories = Files.list(run.servers())) {
            return directories
                    .map(directory -> directory.resolve("data"))
                    .filter(Files::exists)
                    .toList();
        }
    }
}
