-- Lists of what MCP clients did: their runs and those of workflows apart, newest first, and the sessions that wait for a
-- person. A new run gets one entry more; those that wait are few.

CREATE INDEX runs_of_clients ON runs (id DESC) WHERE starts_with(workflow, 'mcp:');
CREATE INDEX runs_of_workflows ON runs (id DESC) WHERE NOT starts_with(workflow, 'mcp:');
CREATE INDEX runs_session_waiting ON runs (session_id)
    WHERE session_id IS NOT NULL AND status IN ('pending_approval', 'needs_human_review');
