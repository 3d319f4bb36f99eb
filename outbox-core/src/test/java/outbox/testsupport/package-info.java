/** Hand-written stand-ins that the tests of all packages share. */
package outbox.testsupport;
