/** Orders, their rules and their events; depends on {@code outbox.domain} and the JDK alone. */
package outbox.samples.ordering.domain;
