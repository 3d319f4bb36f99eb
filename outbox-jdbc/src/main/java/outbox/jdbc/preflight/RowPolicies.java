package outbox.jdbc.preflight;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.Preflight.Need;

/**
 * The policies of a table that apply to this user, and whether they let every row through, whatever is in it. A condition that is true of a row of
 * which nothing is known, because all its columns are null, is true of every row: it asks who the user is, for example. That does not hold of one
 * that asks whether something is null.
 */
final class RowPolicies {

    private static final String TRUE = "true";
    private static final Pattern ASKS_FOR_NULL =
            Pattern.compile("\\b(IS|COALESCE|CASE|NULLIF)\\b", Pattern.CASE_INSENSITIVE);

    /** A condition of SQL, which somebody else has written; null lets nothing through. */
    private record Policy(
            String name,
            String alias,
            boolean permissive,
            String command,
            @Nullable String existing,
            @Nullable String added) {

        static Policy of(ResultSet row) throws SQLException {
            String existing = row.getString(5);
            String added = row.getString(6);
            return new Policy(
                    row.getString(1),
                    row.getString(2),
                    row.getBoolean(3),
                    row.getString(4),
                    existing,
                    added == null ? existing : added);
        }

        boolean isOf(String letter) {
            return command.equals("*") || command.equals(letter);
        }
    }

    /** A command of SQL that the outbox needs, and which rows it is about. */
    private enum Command {
        SELECT("r", false),
        INSERT("a", true),
        UPDATE("w", false),
        UPDATE_TO("w", true),
        DELETE("d", false);

        private final String letter;
        private final boolean adds;

        Command(String letter, boolean adds) {
            this.letter = letter;
            this.adds = adds;
        }

        @Nullable
        String conditionOf(Policy policy) {
            return adds ? policy.added : policy.existing;
        }
    }

    private final List<Policy> policies;
    private final Set<String> alwaysTrue;

    private RowPolicies(List<Policy> policies, Set<String> alwaysTrue) {
        this.policies = policies;
        this.alwaysTrue = alwaysTrue;
    }

    /** Costs one statement, or two if there are conditions; none if the database has no such policies. */
    static RowPolicies of(Trial trial) throws SQLException {
        String sql = trial.dialect().probes().rowPolicies();
        List<Policy> policies = sql == null
                ? List.of()
                : JdbcTemplate.query(
                        trial.connection(), sql, Policy::of, trial.table().toString());
        return new RowPolicies(policies, alwaysTrue(trial, policies));
    }

    private static Set<String> alwaysTrue(Trial trial, List<Policy> policies) throws SQLException {
        Set<String> asked = new LinkedHashSet<>();
        for (Policy policy : policies) {
            addIfAskable(policy.existing, asked);
            addIfAskable(policy.added, asked);
        }
        Set<String> alwaysTrue = new LinkedHashSet<>(Set.of(TRUE));
        if (!asked.isEmpty()) {
            List<String> conditions = List.copyOf(asked);
            String columns = conditions.stream().map(each -> "(" + each + ")").collect(Collectors.joining(", "));
            String sql = "SELECT " + columns + " FROM (SELECT (CAST(NULL AS " + trial.table() + ")).*) AS "
                    + policies.get(0).alias;
            JdbcTemplate.query(trial.connection(), sql, row -> {
                for (int i = 0; i < conditions.size(); i++) {
                    if (row.getBoolean(i + 1)) {
                        alwaysTrue.add(conditions.get(i));
                    }
                }
                return true;
            });
        }
        return alwaysTrue;
    }

    private static void addIfAskable(@Nullable String condition, Set<String> asked) {
        if (condition != null
                && !condition.equals(TRUE)
                && !ASKS_FOR_NULL.matcher(condition).find()) {
            asked.add(condition);
        }
    }

    /** The policies by which it depends on a row whether the outbox may do with it what it needs; "none" if there is no policy that lets any through. */
    Set<String> thatDependOnRows(Trial trial) {
        Set<String> names = new LinkedHashSet<>();
        for (Command command : needed(trial)) {
            List<Policy> ofCommand = policies.stream()
                    .filter(policy -> policy.isOf(command.letter))
                    .toList();
            List<Policy> permissive =
                    ofCommand.stream().filter(Policy::permissive).toList();
            if (permissive.stream().noneMatch(policy -> isAlwaysTrue(command.conditionOf(policy)))) {
                names.addAll(permissive.isEmpty() ? List.of("none") : namesOf(permissive));
            }
            names.addAll(namesOf(ofCommand.stream()
                    .filter(policy -> !policy.permissive && command.conditionOf(policy) != null)
                    .filter(policy -> !isAlwaysTrue(command.conditionOf(policy)))
                    .toList()));
        }
        return names;
    }

    private boolean isAlwaysTrue(@Nullable String condition) {
        return condition != null && alwaysTrue.contains(condition);
    }

    private static List<String> namesOf(List<Policy> policies) {
        return policies.stream().map(Policy::name).toList();
    }

    private static List<Command> needed(Trial trial) {
        List<Command> needed = new ArrayList<>(List.of(Command.INSERT));
        if (trial.needs(Need.DELIVERS) || trial.needs(Need.DELETES)) {
            needed.add(Command.SELECT);
        }
        if (trial.needs(Need.DELIVERS)) {
            needed.addAll(List.of(Command.UPDATE, Command.UPDATE_TO));
        }
        if (trial.needs(Need.DELETES)) {
            needed.add(Command.DELETE);
        }
        return needed;
    }
}
