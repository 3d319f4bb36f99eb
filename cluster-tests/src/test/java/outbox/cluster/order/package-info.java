/** Proof that events of one aggregate are delivered in the order of their commits: real processes, real faults, and a checker. */
package outbox.cluster.order;
