/** Several processes on one table, each told what to do: what holds with and without certain faults. */
package outbox.proof.cluster;
