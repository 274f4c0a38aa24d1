/**
 * Everything that can come back for a request that was sent, with what it means for a tool call and for a webhook. The
 * same table is in docs/reference/outcomes.md; a test compares both.
 */
import type { ServerResponse } from "node:http";

export type Outcome = "succeeded" | "failed" | "outcome_unknown";

export interface Asked {
  response: ServerResponse;
  /** Of the JSON-RPC request; absent for a webhook. */
  id?: string | number | undefined;
}

export interface WireAnswer {
  /** As the reference names it. */
  answer: string;
  tool: Outcome;
  webhook: Outcome;
  /** One or more forms of it, each with a name of its own. */
  ways: Record<string, (asked: Asked) => void>;
  /** The answer to a client that asks for the rest of a broken stream. */
  resume?: (asked: Asked) => void;
  /** Only the caller's timeout ends the wait. */
  isEndless?: true;
  /** The tool declares an output schema. */
  hasOutputSchema?: true;
}

const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { "content-type": "text/event-stream" };
const DONE = { content: [{ type: "text", text: "done" }] };

type Way = (asked: Asked) => void;

const toMessage = ({ id = "none" }: Asked, fields: object): string => JSON.stringify({ jsonrpc: "2.0", id, ...fields });

const reply =
  (fields: object): Way =>
  (asked) => {
    asked.response.writeHead(200, JSON_TYPE).end(toMessage(asked, fields));
  };
const stream =
  (result: object): Way =>
  (asked) => {
    asked.response.writeHead(200, EVENTS).end(`id: 2\ndata: ${toMessage(asked, { result })}\n\n`);
  };
const fault = (code: number): Way => reply({ error: { code, message: "refused on purpose" } });
const plain =
  (status: number, headers: Record<string, string> = {}, body = ""): Way =>
  ({ response }) => {
    response.writeHead(status, headers).end(body);
  };

/** Sends what it has and ends the connection in the middle of the answer. */
const cut =
  (headers: Record<string, string>, start: string): Way =>
  ({ response }) => {
    response.writeHead(200, headers).write(start, () => setImmediate(() => response.destroy()));
  };

const byNumber = (numbers: readonly number[], make: (number: number) => Way): Record<string, Way> =>
  Object.fromEntries(numbers.map((number) => [String(number), make(number)]));
const statuses = (numbers: readonly number[]) =>
  byNumber(numbers, (status) => plain(status, status >= 300 && status < 400 ? { location: "/elsewhere" } : {}));

const REFUSING = [
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428,
  429, 431, 451,
];
const REFUSING_FAULTS = [-32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022, -32_042];
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"done"}}';
/** The work is done, and the server dies before it could answer; with the id the rest can be requested. */
const BROKEN_STREAM = cut(EVENTS, `id: 1\ndata: ${PROGRESS}\n\n`);

const NO_RESULT: Record<string, Way> = {
  half: plain(200, JSON_TYPE, '{"jsonrpc":"2.0","id":1,"result":{"content":['),
  foreign: plain(200, JSON_TYPE, '{"hello":1}'),
  other: plain(200, JSON_TYPE, JSON.stringify({ jsonrpc: "2.0", id: "another", result: DONE })),
  page: plain(200, { "content-type": "text/html" }, "<h1>Sign in</h1>"),
  untyped: plain(200, {}, "done"),
  empty: plain(200, JSON_TYPE),
};
const UNPROMISED: Record<string, Way> = {
  "no result": reply({ result: { content: "text" } }),
  missing: reply({ result: DONE }),
  other: reply({ result: { ...DONE, structuredContent: { total: "five" } } }),
};
const CUT: Record<string, Way> = {
  json: cut({ ...JSON_TYPE, "content-length": "500" }, '{"jsonrpc"'),
  chunks: cut(JSON_TYPE, '{"jsonrpc"'),
  stream: cut(EVENTS, ": begun\n\n"),
  gzip: plain(200, { ...JSON_TYPE, "content-encoding": "gzip" }, "no gzip"),
  encoding: plain(200, { ...JSON_TYPE, "content-encoding": "strange" }, "?"),
};
const NO_ANSWER: Record<string, Way> = {
  ended: ({ response }) => void response.socket?.end(),
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  noise: ({ response }) => void response.socket?.end("this is no HTTP\r\n\r\n"),
};
const SILENCE: Record<string, Way> = {
  silent: () => {},
  trickle: ({ response }) => void response.writeHead(200, JSON_TYPE).write(" "),
};
const TOO_MUCH: Record<string, Way> = {
  large: plain(200, JSON_TYPE, `"${"x".repeat(11_000_000)}"`),
  deep: plain(200, JSON_TYPE, "[".repeat(1_000)),
};

type Row = [answer: string, tool: Outcome, webhook: Outcome, ways: Record<string, Way>, more?: Partial<WireAnswer>];

const UNKNOWN = "outcome_unknown";
const ROWS: readonly Row[] = [
  ["HTTP 200 with a result", "succeeded", "succeeded", { json: reply({ result: DONE }), stream: stream(DONE) }],
  [
    "a result in which the tool itself says that it failed (`isError`)",
    "failed",
    "succeeded",
    { json: reply({ result: { ...DONE, isError: true } }) },
  ],
  [`JSON-RPC error ${REFUSING_FAULTS.join(", ")}`, "failed", "succeeded", byNumber(REFUSING_FAULTS, fault)],
  [
    "JSON-RPC error -32602 of a tool that has an output schema",
    UNKNOWN,
    "succeeded",
    { "-32602": fault(-32_602) },
    { hasOutputSchema: true },
  ],
  [
    "any other JSON-RPC error (-32603, -32000, …)",
    UNKNOWN,
    "succeeded",
    byNumber([-32_603, -32_000, -32_001, -32_002, 1234], fault),
  ],
  [
    "a result that is none, or does not fit the tool's output schema",
    UNKNOWN,
    "succeeded",
    UNPROMISED,
    { hasOutputSchema: true },
  ],
  [
    "HTTP 200 with half a JSON text, no JSON-RPC, the answer to another request, a page, or nothing",
    UNKNOWN,
    "succeeded",
    NO_RESULT,
  ],
  ["HTTP 201, 203, 204 or 206 without a result", UNKNOWN, "succeeded", statuses([201, 203, 204, 206])],
  ["HTTP 202, and then nothing", UNKNOWN, "succeeded", statuses([202]), { isEndless: true }],
  [
    "a stream of events that ends without the answer",
    UNKNOWN,
    "succeeded",
    { ended: plain(200, EVENTS, ": nothing\n\n") },
  ],
  ["larger or deeper than is read", UNKNOWN, "succeeded", TOO_MUCH],
  ["an answer that is cut off", UNKNOWN, UNKNOWN, CUT],
  [
    "a stream that is cut off, and whose rest the server gives when asked",
    "succeeded",
    UNKNOWN,
    { resumed: BROKEN_STREAM },
    { resume: stream(DONE) },
  ],
  ...[400, 401, 403, 404, 405, 410, 500, 503].map((status): Row => [
    `a stream that is cut off, and HTTP ${status} when its rest is asked for`,
    UNKNOWN,
    UNKNOWN,
    { resumed: BROKEN_STREAM },
    { resume: plain(status) },
  ]),
  ["HTTP 300 to 306", UNKNOWN, UNKNOWN, statuses([300, 301, 302, 303, 304, 305, 306])],
  ["HTTP 307, 308, which are not followed", "failed", "failed", statuses([307, 308])],
  [`HTTP ${REFUSING.join(", ")}`, "failed", "failed", statuses(REFUSING)],
  [
    "any other HTTP status from 400 to 499 (408, 424, 499, …)",
    UNKNOWN,
    UNKNOWN,
    statuses([408, 418, 419, 424, 444, 460, 499]),
  ],
  ["HTTP 500 and above", UNKNOWN, UNKNOWN, statuses([500, 501, 502, 503, 504, 507, 511, 599])],
  ["a connection that ends without an answer", UNKNOWN, UNKNOWN, NO_ANSWER],
  ["no answer in time", UNKNOWN, UNKNOWN, SILENCE, { isEndless: true }],
];

export const WIRE_ANSWERS: readonly WireAnswer[] = ROWS.map(([answer, tool, webhook, ways, more]) => ({
  answer,
  tool,
  webhook,
  ways,
  ...more,
}));
