package outbox.testservers;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import outbox.testservers.processes.TestServerException;

/** The parts of a JDBC address, so that another database or driver can be put in their place. */
record JdbcUrl(String prefix, String authority, String database, String parameters) {

    private static final Pattern FORM = Pattern.compile(
            "(?<prefix>jdbc:[a-z0-9:]+:)//(?<authority>[^/?]+)(/(?<database>[^?;]*))?(?<parameters>[?;].*)?");

    static JdbcUrl parse(String url) {
        Matcher form = FORM.matcher(url);
        if (!form.matches()) {
            throw new TestServerException("JDBC address must look like jdbc:driver://host:port/database, was " + url);
        }
        return new JdbcUrl(
                part(form, "prefix"), part(form, "authority"), part(form, "database"), part(form, "parameters"));
    }

    String host() {
        return authority.replaceFirst(":\\d+$", "");
    }

    String port(String usual) {
        return authority.matches(".*:\\d+") ? authority.substring(authority.lastIndexOf(':') + 1) : usual;
    }

    JdbcUrl withDatabase(String name) {
        return new JdbcUrl(prefix, authority, name, parameters);
    }

    JdbcUrl withAuthority(String other) {
        return new JdbcUrl(prefix, other, database, parameters);
    }

    JdbcUrl withParameter(String name, String value) {
        String separator = parameters.isEmpty() ? "?" : "&";
        return new JdbcUrl(prefix, authority, database, parameters + separator + name + "=" + value);
    }

    JdbcUrl withPrefix(String other) {
        return new JdbcUrl(other, authority, database, parameters);
    }

    @Override
    public String toString() {
        return prefix + "//" + authority + "/" + database + parameters;
    }

    private static String part(Matcher form, String name) {
        return Objects.requireNonNullElse(form.group(name), "");
    }
}
