package outbox.jdbc.it;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.jdbc.it.AmongHealthyRows.Mode;
import outbox.spi.OrderedStore;

import static outbox.jdbc.it.MalformedRow.End.DELIVERED;
import static outbox.jdbc.it.MalformedRow.End.LEFT_ALONE;
import static outbox.jdbc.it.MalformedRow.End.WAITS;
import static outbox.jdbc.it.MalformedRow.End.dead;
import static outbox.jdbc.it.MalformedRow.row;

/** Rows that somebody put into the table by hand: each has a defined end, and none keeps the healthy ones around it from theirs. */
abstract class MalformedRowSuite {

    private static final String FAR_AHEAD = "'9999-12-31 23:59:59'";
    private static final String LONG_AGO = "'1970-01-01 00:00:00'";
    private static final int MEBIBYTE = EventEnvelope.MAX_PAYLOAD_BYTES;

    abstract TestedDatabase database();

    @ParameterizedTest
    @EnumSource
    void headers_that_are_json_but_no_flat_object_of_strings_end_dead(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        List<MalformedRow> rows = new ArrayList<>();
        for (String headers : List.of(
                "[1]",
                "\"s3cret\"",
                "42",
                "true",
                "{\"s3cret\":1}",
                "{\"k\":{\"s3cret\":\"v\"}}",
                "{\"k\":[\"s3cret\"]}")) {
            rows.add(row("malformed-" + rows.size(), dead("flat JSON object"), "headers", table.text(headers)));
        }
        play(mode, table, rows);
    }

    @ParameterizedTest
    @EnumSource
    void headers_that_are_not_json_end_dead_where_the_table_takes_them(Mode mode) {
        PlainRows table = PlainRows.unchecked(database());
        List<MalformedRow> rows = new ArrayList<>();
        for (String headers :
                List.of("s3cret", "{", "{\"s3cret\":\"v\"", "{s3cret:1}", "{}s3cret", "[".repeat(100_000), "\u0001")) {
            rows.add(row("malformed-" + rows.size(), dead("flat JSON object"), "headers", table.text(headers)));
        }
        rows.add(row("lone", dead("unpaired surrogate"), "headers", table.text("{\"s3cret\":\"\\ud800\"}")));
        rows.add(row("empty", DELIVERED, "headers", table.text("")));
        rows.add(row("blank", DELIVERED, "headers", table.text(" \n")));
        play(mode, table, rows);
    }

    @ParameterizedTest
    @EnumSource
    void a_payload_is_handed_on_as_it_is_up_to_its_limit(Mode mode) {
        PlainRows table = PlainRows.unchecked(database());
        String tooLong = "\"" + "x".repeat(MEBIBYTE - 1) + "\"";
        play(
                mode,
                table,
                List.of(
                        row("no json", DELIVERED, "payload", table.text("no json at all")),
                        row("half", DELIVERED, "payload", table.text("{\"a\":")),
                        row("empty", DELIVERED, "payload", table.text("")),
                        row("too long", dead("payload must be at most 1048576 bytes"), "payload", table.text(tooLong)),
                        row(
                                "not ascii",
                                dead("payload must be at most"),
                                "payload",
                                table.text("é".repeat(MEBIBYTE)))));
    }

    @ParameterizedTest
    @EnumSource
    void a_payload_at_the_limit_is_delivered(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        String longest = "\"" + "x".repeat(MEBIBYTE - 2) + "\"";
        play(mode, table, List.of(row("longest", DELIVERED, "payload", table.text(longest))));
    }

    @ParameterizedTest
    @EnumSource
    void rows_of_an_unknown_status_are_left_alone_and_hold_no_key(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        play(
                mode,
                table,
                Stream.of("4", "-1", "99", "127", "-128")
                        .map(status -> row("status " + status, LEFT_ALONE, "status", status))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource
    void times_far_in_the_past_are_due_and_times_far_ahead_are_waited_for(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        String ahead = "'2090-01-01 00:00:00'";
        play(
                mode,
                table,
                List.of(
                        row("epoch", DELIVERED, "created_at", LONG_AGO, "available_at", LONG_AGO),
                        row("due ever since", DELIVERED, "available_at", LONG_AGO),
                        row("medieval", DELIVERED, "created_at", "'1000-01-01 00:00:00'", "status", "2"),
                        row("ended before", DELIVERED, "done_at", FAR_AHEAD, "last_error", table.text("old")),
                        row("late", WAITS, "available_at", FAR_AHEAD),
                        row("late retry", WAITS, "available_at", FAR_AHEAD, "status", "2", "attempts", "1"),
                        row("unborn", WAITS, "created_at", FAR_AHEAD),
                        row("unborn and late", WAITS, "created_at", FAR_AHEAD, "available_at", FAR_AHEAD),
                        // Nobody writes that any more for an event without a delay, whatever its clock.
                        row("fast clock", WAITS, "created_at", ahead, "available_at", ahead)));
    }

    @ParameterizedTest
    @EnumSource
    void locks_of_strangers_count_with_claims_until_they_have_expired(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        String stranger = table.text("stranger");
        String keyHeld = table.text(OrderedStore.KEY_HELD);
        play(
                mode,
                table,
                List.of(
                        row("expired", DELIVERED, "locked_by", stranger, "locked_at", LONG_AGO),
                        row("expired, nobody's", DELIVERED, "locked_at", LONG_AGO),
                        row("no time", DELIVERED, "locked_by", stranger),
                        row("no time, no name", DELIVERED, "locked_by", table.text("")),
                        row("retry", DELIVERED, "locked_by", stranger, "locked_at", LONG_AGO, "status", "2"),
                        row("key held, not dead", DELIVERED, "locked_by", keyHeld),
                        row("key held, dead", WAITS, "locked_by", keyHeld, "status", "3", "done_at", LONG_AGO),
                        row("from the future", DELIVERED, WAITS, "locked_by", stranger, "locked_at", FAR_AHEAD),
                        row("nobody's, from the future", DELIVERED, WAITS, "locked_at", FAR_AHEAD)));
    }

    @ParameterizedTest
    @EnumSource
    void attempts_beyond_the_last_one_are_tried_once(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        String error = table.text("said no");
        play(
                mode,
                table,
                List.of(
                        row("last", DELIVERED, "attempts", "9", "last_error", error),
                        row("all", DELIVERED, "attempts", "10", "last_error", error),
                        row("without a reason", DELIVERED, "attempts", "10"),
                        row("thousand", DELIVERED, "attempts", "1000", "status", "2", "last_error", error),
                        row("most", DELIVERED, "attempts", "2147483647", "last_error", error)));
    }

    @ParameterizedTest
    @EnumSource
    void nulls_and_empty_texts_are_taken_for_nothing_except_as_type_or_id(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        String empty = table.text("");
        play(
                mode,
                table,
                List.of(
                        row("", dead("eventId must not be empty")),
                        row("no type", dead("eventType must not be empty"), "event_type", empty),
                        row("blank type", dead("eventType must not be empty"), "event_type", table.text(" \t ")),
                        row("unknown type", dead("No listener"), "event_type", table.text("'; DROP TABLE x; --")),
                        row("no aggregate type", DELIVERED, "aggregate_type", "NULL"),
                        row("no aggregate id", DELIVERED, "aggregate_id", "NULL"),
                        row("no aggregate", DELIVERED, "aggregate_type", "NULL", "aggregate_id", "NULL"),
                        row("empty aggregate", DELIVERED, "aggregate_type", empty, "aggregate_id", empty),
                        row("no tenant, no headers", DELIVERED, "tenant_id", "NULL", "headers", "NULL"),
                        row("empty tenant", DELIVERED, "tenant_id", empty),
                        row("null in json", DELIVERED, "headers", table.text("null"), "payload", table.text("null")),
                        row("twice", DELIVERED, "headers", table.text("{\"k\":\"1\",\"k\":null}"))));
    }

    @ParameterizedTest
    @EnumSource
    void ids_may_have_any_characters_and_the_full_length(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        List<MalformedRow> rows = new ArrayList<>();
        for (String id : List.of(
                "'; DROP TABLE outbox_event; --",
                "\"`[]{}()%_?:$1 #{x}",
                "back\\slash \\' \\",
                "line\nbreak\ttab",
                " around ",
                "\u202eright to left",
                "NULL",
                "\ud83d\ude00".repeat(18),
                "0123456789abcdefghijklmnopqrstuvwxyz")) {
            rows.add(row(id, DELIVERED, "aggregate_id", table.text(id), "tenant_id", table.text(id)));
        }
        play(mode, table, rows);
    }

    @ParameterizedTest
    @EnumSource
    void keys_that_a_database_may_take_for_the_same_go_on_all(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        play(
                mode,
                table,
                Stream.of("k", "k ", "K", "k  ", "K ", " k", "k\t")
                        .map(key -> row("of '" + key + "'", DELIVERED, "aggregate_id", table.text(key)))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource
    void more_undecodable_rows_in_front_than_one_poll_takes_stop_nobody(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        String bad = table.text("[\"s3cret\"]");
        String key = table.text("their key");
        play(
                mode,
                table,
                IntStream.range(0, 15)
                        .mapToObj(i -> row(
                                "bad " + i,
                                dead("flat JSON object"),
                                "headers",
                                bad,
                                "aggregate_id",
                                key,
                                "created_at",
                                LONG_AGO))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource
    void negative_attempts_count_as_none(Mode mode) {
        PlainRows table = PlainRows.unchecked(database());
        play(
                mode,
                table,
                Stream.of("-1", "-1000", "-2147483648")
                        .map(attempts -> row("attempts " + attempts, DELIVERED, "attempts", attempts))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource
    void attempts_that_cannot_be_counted_further_do_not_keep_others_from_being_taken(Mode mode) {
        PlainRows table = PlainRows.shipped(database());
        play(
                mode,
                table,
                List.of(row(
                        "most and expired",
                        DELIVERED,
                        "attempts",
                        "2147483647",
                        "locked_by",
                        table.text("stranger"),
                        "locked_at",
                        LONG_AGO)));
    }

    @ParameterizedTest
    @EnumSource
    void times_that_java_cannot_count_do_not_stop_a_poll(Mode mode) {
        play(
                mode,
                PlainRows.shipped(database()),
                List.of(row("before all time", DELIVERED, "created_at", beforeAllTime())));
    }

    /** The databases know such times by different names, or not at all. */
    private String beforeAllTime() {
        if (database() == TestedDatabase.POSTGRESQL) {
            return "'-infinity'";
        }
        return database() == TestedDatabase.MARIADB ? "'0000-00-00 00:00:00'" : LONG_AGO;
    }

    private void play(Mode mode, PlainRows table, List<MalformedRow> rows) {
        new AmongHealthyRows(database(), mode, table).play(rows);
    }
}
