-- A reviewer must see that the very same call waits elsewhere, or was let through already.
CREATE INDEX approvals_same ON approvals (digest, server, tool) WHERE status IN ('pending', 'approved');
