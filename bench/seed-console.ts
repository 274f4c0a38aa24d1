/**
 * Fills a database as years of use would leave it: for each run ten events, three steps, three turns, two calls; one in five
 * runs was asked about, and a tenth of all waits for people with two questions each, of which each reviewer has set some aside. Some have an answer to review; of
 * those that were cancelled nobody knows what became of a call. Everything is made by the server itself.
 */
import pg from "pg";

export interface Seeded {
  runs: number;
  /** A person who may decide, for "mine". */
  reviewerId: string;
}

const PEOPLE = 40;
/** Of the oldest questions, by each reviewer; with few runs there are fewer, and still more than a page. */
const SET_ASIDE_MAX = 300;

/** Numbers as ids that sort by them: the digits are letters of the ids' own alphabet. */
const id = (prefix: string, number: string) => `'${prefix}_01' || lpad((${number})::text, 24, '0')`;
/** One run every couple of minutes, the newest a moment ago, whatever the number of runs. */
const at = (number: string, runs: number) => `(date_trunc('minute', now()) - make_interval(secs => (${runs} - ${number}) * 150.0))`;
/** Rare things are so many at both sizes that they fill a page, so that the same is asked of both; in the large one they are rarer. */
const RARE = 60;
/** A number that looks like chance and is the same each time. */
const chance = (number: string, of: number, salt = 1) => `(abs(hashint4((${number})::int * 31 + ${salt})) % ${of})`;
/** One workflow, one agent and one tool have more than their share, as in life. */
const WORKFLOW = `'workflow-' || CASE WHEN ${chance("n", 5, 22)} < 2 THEN 3 ELSE ${chance("n", 20, 2)} END`;
const AGENT = `'agent-' || CASE WHEN ${chance("n", 12, 23)} = 0 THEN 7 ELSE ${chance("n", 30, 4)} END`;
const SERVER = `'server-' || CASE WHEN ${chance("n", 4, 27)} = 0 THEN 3 ELSE ${chance("n", 8, 13)} END`;
const TOOL = `'tool-' || CASE WHEN ${chance("n", 4, 27)} = 0 THEN 3 ELSE ${chance("n", 60, 14)} END`;
const WAITS = chance("n", 10, 7) + " = 0";

function statements(runs: number): string[] {
  const series = `generate_series(1, ${runs}) AS n`;
  return [
    // The trail's chains are not what is measured, and hashing a million events would take longer than everything else.
    "ALTER TABLE events DISABLE TRIGGER events_chain",
    `INSERT INTO users (id, email, name, role) SELECT ${id("usr", "n")}, 'person' || n || '@example.org', 'Person ' || n, (ARRAY['viewer','reviewer','operator','admin']::role[])[1 + n % 4] FROM generate_series(1, ${PEOPLE}) AS n`,
    `INSERT INTO project_versions (hash, content) VALUES ('sha256:bench', '')`,
    `INSERT INTO runs (id, workflow, version, config_hash, status, error, started_by_kind, started_by_id, started_by_name, started_by_user_id, params, active_ms, tokens_in, tokens_out, cost_usd, llm_calls, tool_calls, created_at, updated_at, completed_at)
      SELECT ${id("run", "n")}, workflow, '1.' || n / 5000, 'sha256:bench', status, CASE WHEN status = 'failed' THEN '{"code": "tool_failed", "message": "The shop did not answer"}'::jsonb END,
        'user', person, 'Person ' || ${chance("n", PEOPLE, 3)} + 1, person, jsonb_build_object('order', 'A-' || n),
        ${chance("n", 60_000)}, ${chance("n", 9000)}, ${chance("n", 900)}, cost, 3, 2, at, at, CASE WHEN status IN ('complete', 'failed', 'cancelled') THEN at + interval '1 minute' END
      FROM (
        SELECT n, ${WORKFLOW} AS workflow, ${id("usr", `${chance("n", PEOPLE, 3)} + 1`)} AS person, ${at("n", runs)} AS at,
          CASE WHEN ${chance("n", Math.ceil(runs / RARE), 5)} = 0 THEN 10 ELSE ${chance("n", 1000, 6)} / 10000.0 END AS cost,
          (CASE WHEN ${WAITS} THEN 'pending_approval' WHEN ${chance("n", Math.ceil(runs / RARE), 8)} = 0 THEN 'needs_human_review' WHEN n > ${runs} - 5 THEN 'running' WHEN ${chance("n", 6, 9)} = 0 THEN 'failed' WHEN ${chance("n", Math.ceil(runs / RARE), 10)} = 0 THEN 'cancelled' ELSE 'complete' END)::run_status AS status
        FROM ${series}) AS made`,
    `INSERT INTO run_search (run_id, agents, text)
      SELECT run_id, ARRAY[agent], concat_ws(' ', run_id, workflow, agent, 'A-' || n)
      FROM (SELECT n, ${id("run", "n")} AS run_id, ${WORKFLOW} AS workflow, ${AGENT} AS agent FROM ${series}) AS made`,
    `INSERT INTO steps (id, run_id, key, type, status, agent, started_at, completed_at, cost_usd)
      SELECT ${id("step", "n * 3 + k")}, ${id("run", "n")}, 'step-' || k, 'agent', CASE WHEN NOT (${WAITS}) THEN 'complete' WHEN k = 2 THEN 'pending' WHEN k = 1 THEN 'pending_approval' ELSE 'complete' END::step_status, ${AGENT}, ${at("n", runs)}, CASE WHEN NOT (${WAITS}) OR k = 0 THEN ${at("n", runs)} + interval '20 seconds' END, 0.01
      FROM ${series}, generate_series(0, 2) AS k`,
    `INSERT INTO turns (id, run_id, step_id, number, model, request, response, tokens_in, tokens_out, cost_usd, duration_ms, created_at)
      SELECT ${id("turn", "n * 3 + k")}, ${id("run", "n")}, ${id("step", "n * 3 + k")}, 1, 'model-' || ${chance("n", 5, 12)}, '{"messages": []}', '{"text": "I act."}', 800, 90, 0.01, 900, ${at("n", runs)}
      FROM ${series}, generate_series(0, 2) AS k`,
    `INSERT INTO calls (id, run_id, step_id, turn_id, agent, server, tool, status, danger, arguments, arguments_canonical, digest, policy_hash, trace, summary, executing_at, completed_at, created_at, epoch)
      SELECT ${id("call", "n * 2 + k")}, ${id("run", "n")}, ${id("step", "n * 3 + 1")}, ${id("turn", "n * 3 + 1")}, ${AGENT}, ${SERVER}, ${TOOL}, CASE WHEN ${WAITS} THEN 'pending_approval' ELSE 'succeeded' END::call_status, 'medium', '{"order": 1}', '{"order":1}', 'sha256:' || repeat('0', 64), 'x', '[]', 'Changes order A-' || n,
        CASE WHEN NOT (${WAITS}) THEN ${at("n", runs)} END, CASE WHEN NOT (${WAITS}) THEN ${at("n", runs)} + interval '1 second' END, ${at("n", runs)}, 1
      FROM ${series}, generate_series(0, 1) AS k`,
    `INSERT INTO approvals (id, call_id, run_id, step_id, status, workflow, agent, server, tool, danger, summary, digest, rule, approvers, approvals, expires_at, created_at, decided_at, escalate_to)
      SELECT ${id("apr", "n * 2 + k")}, ${id("call", "n * 2 + k")}, ${id("run", "n")}, ${id("step", "n * 3 + 1")}, CASE WHEN ${WAITS} THEN 'pending' WHEN ${chance("n", 12, 15)} = 0 THEN 'rejected' ELSE 'approved' END::approval_status, ${WORKFLOW}, ${AGENT}, ${SERVER}, ${TOOL},
        (ARRAY['low','medium','medium','high','critical']::danger[])[1 + ${chance("n", 5, 16)}], 'Changes order A-' || n, 'sha256:' || repeat('0', 64), '{}', CASE WHEN ${chance("n", 3, 17)} = 0 THEN ARRAY['finance'] ELSE '{}' END, CASE WHEN ${WAITS} THEN 0 ELSE 1 END, CASE WHEN ${chance("n", 2, 18)} = 0 THEN ${at("n", runs)} + interval '400 days' END, ${at("n", runs)}, CASE WHEN NOT (${WAITS}) THEN ${at("n", runs)} + make_interval(secs => ${chance("n", 4000)}) END, '{}'
      FROM ${series}, generate_series(0, 1) AS k WHERE ${WAITS} OR ${chance("n", 5, 19)} = 0`,
    `INSERT INTO decisions (id, approval_id, user_id, verdict, digest, created_at)
      SELECT replace(id, 'apr', 'dec'), id, ${id("usr", `${chance("substr(id, 8)::bigint % 1000000", PEOPLE, 20)} + 1`)}, status::text::decision_verdict, digest, decided_at FROM approvals WHERE status <> 'pending'`,
    `INSERT INTO set_asides (approval_id, user_id, note, version, until, created_at)
      SELECT asked.id, users.id, CASE WHEN ${chance("n", 2, 24)} = 0 THEN 'Asked the customer' END, asked.version, CASE WHEN ${chance("n", 2, 25)} = 0 THEN now() + interval '1 day' END, now()
      FROM (SELECT id, version, substr(id, 8)::bigint AS n FROM approvals WHERE status = 'pending' AND ${chance("substr(id, 8)::bigint", 3, 26)} = 0 ORDER BY id LIMIT ${SET_ASIDE_MAX}) AS asked, users WHERE users.role = 'reviewer'`,
    `INSERT INTO events (id, chain_id, seq, type, at, actor_kind, actor_id, actor_name, body, mac, prev_hash, hash, tx)
      SELECT ${id("evt", "n * 10 + k")}, ${id("run", "n")}, k + 1, (ARRAY['run.started','step.started','turn.recorded','call.executing','call.succeeded','turn.recorded','approval.requested','approval.decided','step.complete','run.completed'])[k + 1], ${at("n", runs)}, 'user', ${id("usr", `${chance("n", PEOPLE, 3)} + 1`)}, 'Person', CASE WHEN k IN (3, 4, 7) THEN '{"data":{"call_id":"' || ${id("call", "n * 2")} || '"}}' ELSE '{"data":{"step":"work"}}' END, 'm', '', '', n
      FROM ${series}, generate_series(0, 9) AS k`,
    `INSERT INTO events (id, chain_id, seq, type, at, actor_kind, actor_id, actor_name, body, mac, prev_hash, hash, tx)
      SELECT ${id("evt", `${runs} * 10 + 20 + n`)}, 'system', n, 'user.created', now(), 'system', 'system', 'Kimitsu', '{"data":{}}', 'm', '', '', 1 FROM generate_series(1, ${PEOPLE}) AS n`,
    `UPDATE steps SET status = 'needs_human_review', completed_at = NULL FROM runs WHERE runs.id = steps.run_id AND runs.status = 'needs_human_review' AND steps.key = 'step-2'`,
    `UPDATE calls SET status = 'outcome_unknown', completed_at = NULL FROM runs WHERE runs.id = calls.run_id AND runs.status = 'cancelled'`,
    `INSERT INTO events (id, chain_id, seq, type, at, actor_kind, actor_id, actor_name, body, mac, prev_hash, hash, tx)
      SELECT replace(id, 'call', 'evt') || 'u', run_id, 11 + row_number() OVER (PARTITION BY run_id ORDER BY id), 'call.outcome_unknown', created_at, 'system', 'system', 'Kimitsu', jsonb_build_object('data', jsonb_build_object('call_id', id)), 'm', '', '', 1
      FROM calls WHERE status = 'outcome_unknown'`,
    `INSERT INTO tool_definitions (server, tool, fingerprint, definition) SELECT 'server-' || n % 8, 'tool-' || n, 'f', '{"name": "tool", "inputSchema": {"type": "object"}}' FROM generate_series(1, 60) AS n`,
    "ALTER TABLE events ENABLE TRIGGER events_chain",
  ];
}

export async function seedConsole(url: string, runs: number): Promise<Seeded> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements(runs)) await client.query(statement);
    await client.query("VACUUM ANALYZE");
    const { rows } = await client.query("SELECT id FROM users WHERE role = 'reviewer' ORDER BY id LIMIT 1");
    return { runs, reviewerId: rows[0].id };
  } finally {
    await client.end();
  }
}
