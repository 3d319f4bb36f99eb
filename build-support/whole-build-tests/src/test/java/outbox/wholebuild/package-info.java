/** Checks that concern all modules at once. */
package outbox.wholebuild;
