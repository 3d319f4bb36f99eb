-- Optional: finds the pending events of a tenant, and counts them. Costs each write of an event that has a tenant.
CREATE INDEX IF NOT EXISTS idx_outbox_event_tenant ON outbox_event (tenant_id, created_at) WHERE status IN (0, 2) AND tenant_id IS NOT NULL;
