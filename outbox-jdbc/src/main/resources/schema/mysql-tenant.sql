-- Optional: finds the pending events of a tenant, and counts them. Costs each write.
CREATE INDEX idx_outbox_event_tenant ON outbox_event (tenant_id, status, created_at);
