-- A run's row changes many times, and each change of an indexed column writes into every index of its table. What lists search for and
-- never changes moves to a table that is written once; what only a few rows have is indexed for those rows alone.

CREATE TABLE "run_search" (
    "run_id" TEXT NOT NULL,
    "agents" TEXT[],
    "text" TEXT NOT NULL,

    CONSTRAINT "run_search_pkey" PRIMARY KEY ("run_id")
);
INSERT INTO run_search (run_id, agents, text) SELECT id, agents, search_text FROM runs;
ALTER TABLE "run_search" ADD CONSTRAINT "run_search_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX "run_search_agents_idx" ON "run_search" USING GIN ("agents");
CREATE INDEX run_search_text ON run_search USING gin (to_tsvector('simple', text));

DROP INDEX runs_search, "runs_agents_idx", "runs_created_at_id_idx", "runs_parent_run_id_idx", "runs_retry_of_run_id_idx";
ALTER TABLE "runs" DROP COLUMN "agents", DROP COLUMN "search_text";
CREATE INDEX runs_created ON runs USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX runs_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_retry_of ON runs (retry_of_run_id) WHERE retry_of_run_id IS NOT NULL;

-- steps_once begins with the run.
DROP INDEX "steps_run_id_id_idx", "steps_parent_id_idx";
CREATE INDEX steps_parent ON steps (parent_id, id) WHERE parent_id IS NOT NULL;

-- A call is found by its run or its step; an index on its state would be rewritten at each of its moves.
DROP INDEX calls_executing, "calls_turn_id_idx", "calls_parent_call_id_idx";
CREATE INDEX calls_parent ON calls (parent_call_id) WHERE parent_call_id IS NOT NULL;

-- Events are many and are never changed. Lists are ordered by id; a time or a transaction is found by where it lies in the table. What
-- the engine writes in every run is found soon in the order of ids, so that only the rest has indexes by kind and by person.
DROP INDEX "events_tx_idx", "events_at_id_idx", "events_type_id_idx", "events_actor_id_id_idx";
CREATE INDEX events_tx ON events USING brin (tx) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX events_at ON events USING brin (at) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX events_by_type ON events (type, id DESC) WHERE type NOT IN (
  'run.created', 'run.started', 'run.resumed', 'run.parked', 'run.completed', 'step.started', 'step.complete', 'turn.recorded',
  'call.approved', 'call.pending_approval', 'call.executing', 'call.succeeded', 'approval.requested', 'approval.decided');
CREATE INDEX events_by_actor ON events (actor_id, id DESC) WHERE actor_kind <> 'system';

-- Room for the next version of a row beside it: a change that touches no index then writes no index.
ALTER TABLE runs SET (fillfactor = 70);
ALTER TABLE steps SET (fillfactor = 75);
ALTER TABLE calls SET (fillfactor = 75);
ALTER TABLE approvals SET (fillfactor = 80);
