import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";
import { listOf, pageQuery, runIdParam, sequenceQuery, workflowParam } from "@/lib/http/schemas/common";
import { RUN_STATUSES, runEnvelopeSchema, runEventSchema, runSummarySchema } from "@/lib/http/schemas/run-envelope";

const tag = "Runs";
const params = z.strictObject({ runId: runIdParam });
const runParamsSchema = z.record(z.string(), z.unknown());
const startedSchema = z.strictObject({ run_id: z.string() }).meta({ id: "StartedRun" });
const runStateSchema = z.strictObject({ run_id: z.string(), status: z.enum(RUN_STATUSES) }).meta({ id: "RunState" });
const comment = z.string().trim().max(4_000).optional();

const text = z.string().max(200);
const cost = z.coerce.number().min(0).max(1_000_000);
const filter = {
  workflow: text.optional(),
  status: listOf(RUN_STATUSES).optional().describe("One status, or several with commas between them"),
  needs: listOf(["review", "settle"])
    .optional()
    .describe(
      "Runs that need a person outside the inbox, whatever their status: to `review` an answer, to `settle` a call of which nobody knows whether it happened; one, or both with a comma between them",
    ),
  agent: text.optional().describe("Runs in which this agent may take part"),
  who: text.optional().describe("Name or e-mail of whoever started it, or a part of it; or their id"),
  via: z
    .enum(["mcp", "workflow"])
    .optional()
    .describe("`mcp`: calls that MCP clients made, each a run of `mcp:PROFILE`; `workflow`: all other runs"),
  session: z.string().max(100).optional().describe("`ses_…`: calls of this session of an MCP client"),
  q: text.optional().describe("Words in id, workflow, agents, starter or params, each whole or as a beginning"),
  from: z.iso.datetime({ offset: true }).optional().describe("Created from this time on"),
  to: z.iso.datetime({ offset: true }).optional().describe("Created before this time"),
  cost_min: cost.optional().describe("Cost at least so many US dollars"),
  cost_max: cost.optional().describe("Cost at most so many US dollars"),
};

export const invokeWorkflow = defineOperation({
  id: "invokeWorkflow",
  method: "POST",
  path: "/invoke/{workflow}",
  tag,
  summary: "Start a workflow; the body is its params",
  description:
    "404 for a workflow that does not exist or cannot be started by itself; 422 with every schema violation when the params do not fit its schema, and then no run exists.",
  permission: "runs:write",
  ownDoor: "the secret that the workflow names in `invoke.auth`, in the header it names there",
  creates: true,
  params: z.strictObject({ workflow: workflowParam }),
  body: runParamsSchema,
  response: startedSchema,
  status: 202,
});

export const startRun = defineOperation({
  id: "startRun",
  method: "POST",
  path: "/runs",
  tag,
  summary: "Start a run of a workflow",
  permission: "runs:write",
  creates: true,
  body: z
    .strictObject({ workflow: workflowParam.min(1), params: runParamsSchema.default({}) })
    .meta({ id: "StartRun" }),
  response: startedSchema,
  status: 202,
});

export const listRuns = defineOperation({
  id: "listRuns",
  method: "GET",
  path: "/runs",
  tag,
  summary: "Runs, newest first",
  permission: "runs:read",
  query: z.strictObject({ ...filter, ...pageQuery("run") }),
  response: z
    .strictObject({ items: z.array(runSummarySchema), next_cursor: z.string().nullable() })
    .meta({ id: "RunPage" }),
});

export const exportRuns = defineOperation({
  id: "exportRuns",
  method: "GET",
  path: "/runs/export",
  tag,
  summary: "Every run that fits, newest first, as a file",
  description:
    "`jsonl`: one `RunSummary` a line. `csv`: the same in columns, with a head line; text that a spreadsheet would take for a formula begins with an apostrophe. Streams, so it can be of any length.",
  permission: "runs:read",
  query: z.strictObject({ ...filter, format: z.enum(["csv", "jsonl"]).default("jsonl") }),
  response: "application/jsonl, text/csv",
});

export const getRun = defineOperation({
  id: "getRun",
  method: "GET",
  path: "/runs/{runId}",
  tag,
  summary: "One run: the envelope",
  description: "A browser that asks for a page is sent to `/history/{runId}`.",
  permission: "runs:read",
  ownDoor: "`Accept: text/html`, which leads to the page and its own sign-in",
  params,
  response: runEnvelopeSchema,
  otherStatuses: { 307: "To the page of the run, for browsers" },
});

export const getRunEnvelope = defineOperation({
  id: "getRunEnvelope",
  method: "GET",
  path: "/runs/{runId}/envelope",
  tag,
  summary: "The same envelope, for older clients",
  permission: "runs:read",
  params,
  response: runEnvelopeSchema,
});

export const getRunOutput = defineOperation({
  id: "getRunOutput",
  method: "GET",
  path: "/runs/{runId}/output",
  tag,
  summary: "What the run gave",
  description: "Null until it is complete, and for a run that failed or was cancelled.",
  permission: "runs:read",
  params,
  response: z
    .strictObject({ run_id: z.string(), status: z.enum(RUN_STATUSES), output: z.unknown() })
    .meta({ id: "RunOutput" }),
});

export const listRunEvents = defineOperation({
  id: "listRunEvents",
  method: "GET",
  path: "/runs/{runId}/events",
  tag,
  summary: "What happens in a run, oldest first",
  description:
    "With `Accept: text/event-stream`: server-sent events, those there are and then live. `id` is the place in the run, and `Last-Event-ID` goes on after it; `event` is the type, `data` a `RunEvent`. The stream ends when the run has settled and everything was sent; asked again after that, the answer is 204. It also ends after ten minutes: connect again. Otherwise pages of JSON.",
  permission: "runs:read",
  params,
  query: z.strictObject(sequenceQuery),
  response: z
    .strictObject({ items: z.array(runEventSchema), next_cursor: z.string().nullable() })
    .meta({ id: "RunEventPage" }),
});

export const cancelRun = defineOperation({
  id: "cancelRun",
  method: "POST",
  path: "/runs/{runId}/cancel",
  tag,
  summary: "End a run",
  description:
    "Pending approvals are withdrawn, and what was not sent is never sent. 409 for a run that is over already.",
  permission: "runs:write",
  params,
  body: z.strictObject({ reason: comment.describe("Why; kept with who ended it") }).meta({ id: "CancelRun" }),
  response: runStateSchema,
});

export const retryRun = defineOperation({
  id: "retryRun",
  method: "POST",
  path: "/runs/{runId}/retry",
  tag,
  summary: "Go on from the failed step, as a new run",
  description:
    "Steps that ended well come along with their outputs. The new run is linked to the old one and runs under the same version of the project. 409 for a run that has not failed, whose retry is under way, or of which a step that would be done again has calls whose outcome is unknown: `issues` lists them, and `POST /calls/{callId}/settle` says what became of each.",
  permission: "runs:write",
  creates: true,
  params,
  body: z
    .strictObject({
      secrets: runParamsSchema
        .default({})
        .describe("The values of params that are secret: a run forgets them when it ends"),
    })
    .meta({ id: "RetryRun" }),
  response: startedSchema,
  status: 202,
});

export const reviewRun = defineOperation({
  id: "reviewRun",
  method: "POST",
  path: "/runs/{runId}/review",
  tag,
  summary: "Accept an output that an agent wanted seen, or end the run",
  description:
    "For a run in `needs_human_review`. 409 when no output of it waits, when several do and `step_id` is left out (`issues` then lists them), or when the output is not the one of `digest`.",
  permission: "approvals:decide",
  params,
  body: z
    .strictObject({
      accepted: z.boolean().describe("False ends the run"),
      step_id: z.string().max(100).optional().describe("`step_…`; needed when several outputs wait"),
      digest: z.string().max(100).optional().describe("Of the output you saw, from `pending_reviews` of the run"),
      comment,
    })
    .meta({ id: "ReviewRun" }),
  response: runStateSchema,
});
