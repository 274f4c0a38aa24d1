-- What the console filters by, without a write for each change of a run: an index of ranges does not stop an update from staying on its
-- page, and those of approvals hold pending rows only.
CREATE INDEX runs_cost ON runs USING brin (cost_usd) WITH (pages_per_range = 1, autosummarize = on);
CREATE INDEX approvals_pending_by_workflow ON approvals (workflow, id) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_agent ON approvals (agent, id) WHERE status = 'pending';

-- A search for several words looks at each run that the index offers; taking its text apart again took most of the time.
ALTER TABLE run_search ADD COLUMN words tsvector GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED;
DROP INDEX run_search_text;
CREATE INDEX run_search_words ON run_search USING gin (words);
