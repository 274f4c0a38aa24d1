-- Insights reads a stretch of time, and from these indexes alone. Each is written once for a row: when a person or the clock has
-- decided, when a person has spoken, when a model has answered. None holds a column that changes while a run is under way.
CREATE INDEX approvals_decided ON approvals (decided_at) INCLUDE (id, status, danger, server, tool, created_at) WHERE decided_at IS NOT NULL;
CREATE INDEX decisions_by_time ON decisions (created_at, approval_id, user_id, verdict);
CREATE INDEX turns_by_time ON turns (created_at, model, tokens_in, tokens_out, cost_usd);
