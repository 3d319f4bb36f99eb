/** Order per account under a fixed plan of faults. */
package outbox.proof.order;
