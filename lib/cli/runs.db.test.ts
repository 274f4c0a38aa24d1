import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { GET as LIST_APPROVALS } from "@/app/approvals/route";
import { GET } from "@/app/runs/[runId]/route";
import { GET as LIST } from "@/app/runs/route";
import { explainDatabase } from "@/lib/cli/database";
import { createProgram } from "@/lib/cli/program";
import { nobodyCan } from "@/lib/cli/suggest-decider";
import { rereadEnv } from "@/lib/env";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { buildUser } from "@/lib/testing/builders";
import { aDecision } from "@/lib/testing/changes";
import { changeQuestions } from "@/lib/testing/change-question";
import { useDatabase } from "@/lib/testing/database";
import { makeChanges } from "@/lib/testing/make-changes";
import { HANG_MS } from "@/lib/testing/hang";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let admin: Awaited<ReturnType<typeof buildUser>>;
let rea: typeof admin;
let printed: string[];

beforeAll(async () => {
  bench = await openApiBench(database);
  // Commands use the real time, so the worker of this test must as well.
  bench.clock.advance(Date.now() + 3600_000 - bench.clock.now().getTime());
  admin = await buildUser(bench.deps, "admin", { name: "Ada" });
  rea = await buildUser(bench.deps, "reviewer", { name: "Rea" });
});
beforeEach(() => {
  vi.stubEnv("KIMITSU_PROJECT", bench.deps.projects.current().project.root);
  rereadEnv();
  printed = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  vi.spyOn(console, "error").mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rereadEnv();
  process.exitCode = undefined;
});

const kimitsu = (...words: string[]) => createProgram().parseAsync(words, { from: "user" });
const last = () => JSON.parse(printed.at(-1)!);

/** The fault recorded on a run that could not be advanced. */
const faultOf = (message: string) =>
  ({
    kind: "run_released",
    at: new Date().toISOString(),
    fault: { code: "tool_failed", message },
    worker: "wrk_test",
  }) as const;

async function asked(): Promise<string> {
  await kimitsu("invoke", "main", "--json");
  const { run_id: runId } = last();
  await bench.advance(runId);
  return runId;
}

describe("invoke", () => {
  test("writes a run for a worker to claim, started by the first admin or by the named person", async () => {
    await kimitsu("invoke", "main", "--json");
    expect(await database.db.run.findUniqueOrThrow({ where: { id: last().run_id } })).toMatchObject({
      status: "pending",
      startedById: admin.id,
      wakeAt: expect.any(Date),
    });
    await kimitsu("invoke", "main", "--user", rea.email);
    expect(await database.db.run.findUniqueOrThrow({ where: { id: printed.at(-1)! } })).toMatchObject({
      startedById: rea.id,
    });
  });

  test("--wait shows what happens, and the exit code says how it ended", async () => {
    const before = await database.db.run.count();
    const command = kimitsu("invoke", "main", "--wait", "--until-asked");
    await vi.waitUntil(async () => (await database.db.run.count()) > before, { timeout: HANG_MS });
    const { id } = await database.db.run.findFirstOrThrow({ orderBy: { id: "desc" } });
    await bench.advance(id);
    await command;
    expect(process.exitCode).toBe(4);
    const [approval] = await bench.pendingOf(id);
    const text = printed.join("\n");
    for (const part of [
      "No worker is running",
      "step work started",
      "call recorder.echo allowed (allow agents/worker.agent.yaml:",
      `kimitsu approve ${approval!.id} --user ${rea.email}`,
      `${id} is pending_approval`,
    ])
      expect(text).toContain(part);
  });

  test("Ctrl-C ends the waiting and not the run, and says so", async () => {
    const [before, others] = [await database.db.run.count(), process.listeners("SIGINT")];
    const command = kimitsu("invoke", "main", "--wait");
    await vi.waitUntil(
      async () => (await database.db.run.count()) > before && process.listenerCount("SIGINT") > others.length,
      { timeout: HANG_MS },
    );
    const interrupt = process.listeners("SIGINT").find((listener) => !others.includes(listener))!;
    interrupt("SIGINT");
    interrupt("SIGINT");
    await command;
    const { id, status } = await database.db.run.findFirstOrThrow({ orderBy: { id: "desc" } });
    await vi.waitUntil(() => process.listenerCount("SIGINT") === others.length, { timeout: HANG_MS });
    expect([process.exitCode, status, printed.at(-1)]).toEqual([
      130,
      "pending",
      `\nNo longer waiting; the run goes on. kimitsu runs get ${id} shows it.`,
    ]);
  });

  test("a timeout ends the waiting and not the run", async () => {
    await kimitsu("invoke", "main", "--wait", "--json", "--timeout", "1s");
    expect([process.exitCode, last().status, last().output]).toEqual([5, "pending", null]);
    const { output: _output, ...envelope } = last();
    expect(envelope).toEqual(
      (
        await ask(
          GET,
          `/runs/${envelope.run_id}`,
          { token: (await bench.login("viewer")).token },
          { runId: envelope.run_id },
        )
      ).body,
    );
  });

  test("what cannot be started is refused with what would be correct", async () => {
    await expect(kimitsu("invoke", "nope")).rejects.toThrow(
      'There is no workflow nope; workflows that can be started: "main"',
    );
    await expect(kimitsu("invoke", "mian")).rejects.toThrow('There is no workflow mian; did you mean "main"?');
    await expect(kimitsu("invoke", "main", "--input", "[1]")).rejects.toThrow("--input must be a JSON object");
    await expect(kimitsu("invoke", "main", "--input", "@/nowhere.json")).rejects.toThrow(
      "@/nowhere.json cannot be read",
    );
    await expect(kimitsu("invoke", "main", "--user", "nobody@example.org")).rejects.toThrow("nobody with the e-mail");
  });
});

describe("deciding", () => {
  test("approve by run, with the person on record; a second decision says who decided", async () => {
    const runId = await asked();
    await kimitsu("approve", runId, "--user", rea.email, "--json");
    expect(last()).toEqual({
      approval_id: expect.stringMatching(/^apr_/),
      call_id: expect.stringMatching(/^call_/),
      run_id: runId,
      status: "approved",
      approvals: 1,
      min_approvals: 1,
      digest: expect.stringMatching(/^sha256:/),
    });
    const { approval_id: approvalId } = last();
    expect(await database.db.decision.findFirstOrThrow({ where: { approvalId } })).toMatchObject({
      userId: rea.id,
      tokenId: null,
      address: "command line",
    });
    await expect(kimitsu("reject", approvalId, "--reason", "no", "--user", rea.email)).rejects.toThrow(
      "already approved by Rea",
    );
  });

  test("reject by call; the person who started the run cannot decide", async () => {
    const runId = await asked();
    const [approval] = await bench.pendingOf(runId);
    await expect(kimitsu("approve", approval!.id)).rejects.toThrow(
      new RegExp(`Whoever started a run cannot decide its calls.* Say who decides: --user ${rea.email}`),
    );
    await kimitsu("reject", approval!.callId, "--reason", "Wrong", "--user", rea.email);
    expect(printed.at(-1)).toContain("rejected by Rea");
    expect(await bench.advance(runId)).toEqual({ kind: "settled" });
    expect(await database.db.call.findFirstOrThrow({ where: { runId, tool: "t-none" } })).toMatchObject({
      status: "rejected",
      executingAt: null,
    });
  });

  test("a rejection without a reason is refused, and nothing is decided", async () => {
    const runId = await asked();
    await expect(kimitsu("reject", runId, "--reason", " ", "--user", rea.email)).rejects.toThrow(
      "--reason is empty; say why, because the agent is told",
    );
    expect(await bench.pendingOf(runId)).toHaveLength(1);
  });

  test("where nobody may decide, the message says whom to add", () => {
    expect(nobodyCan({ approvers: [], selfApproval: false })).toBe(
      "nobody who is active may decide it: it is for any reviewer, and not for whoever started the run; `kimitsu user create --email … --role reviewer` adds someone",
    );
    expect(nobodyCan({ approvers: ["operator"], selfApproval: true })).toBe(
      "nobody who is active may decide it: it is for operator; `kimitsu user create --email … --role operator` adds someone",
    );
    expect(nobodyCan({ approvers: ["privacy"], selfApproval: false })).toMatch(
      /it is for privacy, .*; add someone to it, under Settings, Groups, or in policy\.yaml$/,
    );
  });

  test("an id of an unknown kind is refused with the known kinds", async () => {
    await expect(kimitsu("approve", "12")).rejects.toThrow("apr_");
  });
});

describe("looking", () => {
  test("runs and approvals as tables and as JSON lines; one run with what waits", async () => {
    const runId = await asked();
    await kimitsu("runs", "--status", "pending_approval", "--limit", "1");
    expect(printed.at(-1)).toMatch(new RegExp(`^RUN .*\n${runId}  main  +pending_approval`));
    await kimitsu("approvals", "--run", runId, "--json");
    const token = (await bench.login("viewer")).token;
    expect(last()).toEqual((await ask(LIST_APPROVALS, `/approvals?run=${runId}`, { token })).body.items[0]);
    expect(JSON.stringify(last()), "the arguments as they are sent, with what their names say is secret").not.toMatch(
      /canonical/i,
    );
    await kimitsu("runs", "get", runId);
    expect(printed.at(-1)).toContain(`kimitsu approve ${(await bench.pendingOf(runId))[0]!.id}`);
    await kimitsu("runs", "get", runId, "--json");
    expect(last()).toEqual((await ask(GET, `/runs/${runId}`, { token }, { runId })).body);
    await kimitsu("runs", "--q", runId, "--json");
    expect(last()).toEqual((await ask(LIST, `/runs?q=${runId}`, { token })).body.items[0]);
  });

  test("one run with the calls that must be settled, and the answers that must be reviewed", async () => {
    const runId = await asked();
    const [approval] = await bench.pendingOf(runId);
    const { callId, stepId } = approval!;
    const at = new Date().toISOString();
    const review = {
      stepId,
      key: "work",
      to: "needs_human_review",
      error: { code: "needs_human", message: "Look at the sum" },
    } as const;
    await makeChanges(database.db, runId, ({ calls }) => {
      const { digest = "" } = calls.get(callId) ?? {};
      const decision = aDecision(rea.id, { digest });
      return [
        {
          kind: "approval_decided",
          at,
          approvalId: approval!.id,
          callId,
          decision,
          argumentsDigest: digest,
          edited: null,
          actor: rea.actor,
        },
        { kind: "call_executing", at, callId, digest, epoch: 1, warnsOfBudget: false },
        { kind: "call_unknown", at, callId, isCommitLost: false },
        { kind: "step_moved", at, move: review },
      ];
    });
    await kimitsu("runs", "get", runId);
    for (const part of [
      "nobody knows whether this happened",
      `recorder.t-none {"text":"act"}`,
      `POST /calls/${callId}/settle`,
      `the answer of step work (${stepId}): Look at the sum`,
    ])
      expect(printed.at(-1)).toContain(part);
  });

  test("text of an agent or a server moves no cursor, adds no row and hides nothing from a person who decides in a terminal", async () => {
    const HOSTILE = "to \u001B[2K\u001B[1Aana\u202Eelpmaxe\u200B\u009B2J\napr_fake  low  pending";
    const runId = await asked();
    const [approval] = await bench.pendingOf(runId);
    await changeQuestions(database.db, [approval!.id], {
      approval: { summary: HOSTILE },
      call: { arguments: { to: HOSTILE } },
    });
    await makeChanges(database.db, runId, () => [faultOf(HOSTILE)]);
    printed = [];
    await kimitsu("approvals", "--run", runId);
    await kimitsu("runs", "get", runId);
    await kimitsu("reject", approval!.id, "--user", rea.email, "--reason", "no");
    const shown = "to ⟨U+001B⟩[2K⟨U+001B⟩[1Aana⟨U+202E⟩elpmaxe⟨U+200B⟩⟨U+009B⟩2J⟨U+000A⟩apr_fake  low  pending";
    expect(printed).toHaveLength(3);
    for (const text of printed) expect(text).toContain(shown);
    // eslint-disable-next-line no-control-regex -- control characters are what this is about
    expect(printed.join("\n")).not.toMatch(/[\u001B\u009B\u202E\u200B]|^apr_fake/m);
    expect(printed[1]).toContain('{"to":"to \\u001b[2K');
  });

  test("--json contains no control characters either, and every parser reads the original text", async () => {
    const HOSTILE = "\u001B[2Jana\u202Eelpmaxe\u200B\u009B2J\u007F\u2028\u{E0041}é 日本 👍";
    const runId = await asked();
    const [approval] = await bench.pendingOf(runId);
    const call = { agentSays: HOSTILE, arguments: { [HOSTILE]: HOSTILE } };
    await changeQuestions(database.db, [approval!.id], { approval: { summary: HOSTILE }, call });
    await makeChanges(database.db, runId, () => [faultOf(HOSTILE)]);
    printed = [];
    await kimitsu("approvals", "--run", runId, "--json");
    expect(last()).toMatchObject({ summary: HOSTILE, agent_says: HOSTILE, arguments: { [HOSTILE]: HOSTILE } });
    await kimitsu("runs", "get", runId, "--json");
    expect(last()).toMatchObject({ error: { message: HOSTILE } });
    await kimitsu("runs", "--q", runId, "--json");
    await kimitsu("invoke", "main", "--json", "--wait", "--timeout", "1s");
    const text = printed.join("");
    for (const escaped of [
      "\\u001b[2J",
      "\\u202e",
      "\\u200b",
      "\\u009b",
      "\\u007f",
      "\\u2028",
      "\\udb40\\udc41",
      "é 日本 👍",
    ])
      expect(text).toContain(escaped);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
  });

  test("unknown words are refused", async () => {
    await expect(kimitsu("runs", "--status", "done")).rejects.toThrow("pending_approval");
    await expect(kimitsu("runs", "--limit", "0")).rejects.toThrow("--limit 0");
    await expect(kimitsu("runs", "run_1")).rejects.toThrow("write kimitsu runs get run_1");
    await expect(kimitsu("token", "create", "--name", "x", "--scopes", "runs:read,foo")).rejects.toThrow(
      '"foo" is not a scope; scopes are runs:read',
    );
    await expect(kimitsu("token", "create", "--name", "x", "--scopes", "mcp", "--profile", "desk")).rejects.toThrow(
      "profile: is missing, and the project has none: add profiles/NAME.profile.yaml",
    );
    await expect(kimitsu("user", "create", "--email", "a@example.org", "--role", "king")).rejects.toThrow(
      "role: is no role; roles are viewer, reviewer, operator, admin",
    );
    await expect(kimitsu("approvals", "--status", "open")).rejects.toThrow("expired");
    await expect(kimitsu("runs", "get", "run_none")).rejects.toThrow("There is no run run_none");
  });
});

describe("replay", () => {
  test("says that nothing would change when the files are unchanged, and what is wrong with what was typed", async () => {
    await asked();
    await kimitsu("replay", "--since", "365d");
    expect(printed.at(-1)).toMatch(/^\d+ calls? of the last 365d: all would be judged as they were\.$/);
    await expect(kimitsu("replay", "--since", "soon")).rejects.toThrow(
      /--since: "soon" is not a duration; write a whole number and a unit/,
    );
    await expect(kimitsu("replay", "--limit", "0")).rejects.toThrow(
      "--limit 0 must be a whole number from 1 to 1000000",
    );
  });
});

test("an unreachable database is named with its address and without its password; other failures are not reported as one", () => {
  vi.stubEnv("DATABASE_URL", "postgres://ana:hunter2@db.example.org:5433/kimitsu");
  rereadEnv();
  const away = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
  expect(explainDatabase(away)).toBe(
    "The database at db.example.org:5433 cannot be reached. Start it, or set DATABASE_URL to one that runs; `kimitsu doctor` says more.",
  );
  expect(explainDatabase(new Error("column does not exist"))).toBeNull();
});
