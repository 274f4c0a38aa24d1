/**
 * What this process counts and measures, for Prometheus. Labels are names from the project's files and fixed words,
 * never values from a person or a tool.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

const REQUEST_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const CALL_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** People take seconds to days. */
const WAIT_BUCKETS_S = [2, 10, 30, 60, 300, 900, 3_600, 4 * 3_600, 24 * 3_600, 7 * 24 * 3_600];

function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "kimitsu_" });
  return {
    registry,
    requestSeconds: new Histogram({
      name: "kimitsu_http_request_duration_seconds",
      help: "Time from request to answer, by API operation.",
      labelNames: ["operation", "method", "status"] as const,
      buckets: REQUEST_BUCKETS_S,
      registers,
    }),
    refusals: new Counter({
      name: "kimitsu_refusals_total",
      help: "What this process refused to protect itself, by the limit that was reached.",
      labelNames: ["limit"] as const,
      registers,
    }),

    runsStarted: new Counter({
      name: "kimitsu_runs_started_total",
      help: "Runs that were started through this process, retries included.",
      labelNames: ["workflow"] as const,
      registers,
    }),
    runsSettled: new Counter({
      name: "kimitsu_runs_settled_total",
      help: "Runs that this process brought to their end.",
      labelNames: ["workflow", "status"] as const,
      registers,
    }),
    claims: new Counter({
      name: "kimitsu_run_claims_total",
      help: "Tries to take a run; lost ones were taken by another process.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    takeovers: new Counter({
      name: "kimitsu_runs_taken_over_total",
      help: "Runs that this process freed because the process that had them was gone.",
      registers,
    }),
    runsActive: new Gauge({
      name: "kimitsu_runs_active",
      help: "Runs that this process advances at the moment.",
      registers,
    }),
    capacity: new Gauge({
      name: "kimitsu_worker_capacity",
      help: "Runs that this process advances at the same time at most.",
      registers,
    }),

    toolSeconds: new Histogram({
      name: "kimitsu_tool_call_duration_seconds",
      help: "Tool calls of this process, by what came of them; `unknown` may have happened.",
      labelNames: ["server", "outcome"] as const,
      buckets: CALL_BUCKETS_S,
      registers,
    }),
    modelSeconds: new Histogram({
      name: "kimitsu_model_turn_duration_seconds",
      help: "Turns that models were asked for, tries included.",
      labelNames: ["model", "outcome"] as const,
      buckets: CALL_BUCKETS_S,
      registers,
    }),
    tokens: new Counter({
      name: "kimitsu_model_tokens_total",
      help: "Tokens of answered turns.",
      labelNames: ["model", "direction"] as const,
      registers,
    }),
    cost: new Counter({
      name: "kimitsu_model_cost_usd_total",
      help: "Price of answered turns in dollars; a model without a price counts nothing.",
      labelNames: ["model"] as const,
      registers,
    }),
    approvalSeconds: new Histogram({
      name: "kimitsu_approval_wait_seconds",
      help: "Time from the question to its end: approved, rejected or expired.",
      labelNames: ["outcome"] as const,
      buckets: WAIT_BUCKETS_S,
      registers,
    }),

    notices: new Counter({
      name: "kimitsu_notices_total",
      help: "Messages to channels that this process sent or gave up.",
      labelNames: ["channel", "outcome"] as const,
      registers,
    }),

    connections: new Gauge({
      name: "kimitsu_database_connections",
      help: "Connections of this process's pool.",
      labelNames: ["state"] as const,
      registers,
    }),
    connectionWaits: new Gauge({
      name: "kimitsu_database_waiting",
      help: "Statements of this process that wait for a connection.",
      registers,
    }),
    databaseUp: new Gauge({
      name: "kimitsu_database_up",
      help: "1 when the database answered this scrape. When it is 0, the figures read from it are missing.",
      registers,
    }),
    // From here on: read from the database at each scrape, so every process reports the same. Take the maximum, not the
    // sum. Counts stop at 10,000 (GAUGE_COUNT_MAX).
    openRuns: new Gauge({
      name: "kimitsu_runs_open",
      help: "Runs that are not over, by status; 10000 means at least so many.",
      labelNames: ["status"] as const,
      registers,
    }),
    dueRuns: new Gauge({
      name: "kimitsu_runs_due",
      help: "Runs that could be advanced now and that no process has: the queue; 10000 means at least so many.",
      registers,
    }),
    oldestDue: new Gauge({
      name: "kimitsu_runs_due_oldest_seconds",
      help: "How long the first of the queue has been due.",
      registers,
    }),
    leases: new Gauge({
      name: "kimitsu_leases",
      help: "Runs that a process has: `held`, or `silent` when it has not renewed in time.",
      labelNames: ["state"] as const,
      registers,
    }),
    pendingApprovals: new Gauge({
      name: "kimitsu_approvals_pending",
      help: "Questions that wait for people, by danger; 10000 means at least so many.",
      labelNames: ["danger"] as const,
      registers,
    }),
    oldestPending: new Gauge({
      name: "kimitsu_approvals_pending_oldest_seconds",
      help: "Age of the oldest question that waits; 0 when none does.",
      registers,
    }),
    unknownCalls: new Gauge({
      name: "kimitsu_calls_outcome_unknown",
      help: "Calls of which nobody knows whether they happened; each waits for a person.",
      registers,
    }),
    projectionsBehind: new Gauge({
      name: "kimitsu_projections_behind_seconds",
      help: "Age of the oldest journal row that lists across runs do not have yet; 0 when they have all.",
      registers,
    }),
    workersAlive: new Gauge({
      name: "kimitsu_workers_alive",
      help: "Processes that said within the last ten seconds that they advance runs.",
      registers,
    }),
    dispatchPaused: new Gauge({
      name: "kimitsu_dispatch_paused",
      help: "1 while an admin has stopped all calls.",
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

// One registry per process: Next loads this module once per bundle, and twice-registered metrics throw.
const kept = globalThis as typeof globalThis & { __kimitsuMetrics?: Metrics };

export function metrics(): Metrics {
  return (kept.__kimitsuMetrics ??= createMetrics());
}
