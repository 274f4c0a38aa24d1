import { beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { streamRuns } from "@/lib/runs/queries/list-runs";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { testRequest, withParams } from "@/lib/testing/requests";
import { POST } from "../route";
import { GET } from "./route";

const database = useDatabase();
const WORKFLOW =
  "kind: workflow\nname: main\nversion: '1.2.0'\nparams: { schema: { type: object, properties: { text: { type: string }, key: { type: string, secret: true } } } }\npipeline:\n  - id: work\n    agent: ./agents/worker.agent.yaml\n";

let token: string;
const started: string[] = [];
beforeAll(async () => {
  const bench = await openApiBench(database, { workflow: WORKFLOW });
  token = (await bench.login("operator", { name: '=HYPERLINK("x"),\nAna' })).token;
  for (const text of ["zebra", "lion", "zebra two"])
    started.unshift(
      (
        await ask(POST, "/runs", {
          method: "POST",
          token,
          body: { workflow: "main", params: { text, key: "planted-secret" } },
        })
      ).body.run_id,
    );
});

const file = async (query: string) => {
  const response = await GET(testRequest(`/runs/export${query}`, { token }), withParams());
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    name: response.headers.get("content-disposition"),
    text: await response.text(),
  };
};
const idsOf = (text: string) => text.match(/run_[0-9a-z]{26}/g) ?? [];

describe("200", () => {
  test(verifies("history:export", "every run that fits, newest first, one a line, without secrets"), async () => {
    const all = await file("");
    expect(all).toMatchObject({
      status: 200,
      type: "application/jsonl",
      name: 'attachment; filename="kimitsu-runs.jsonl"',
    });
    const lines = all.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { run_id: string; status: string });
    expect(lines.map((line) => line.run_id)).toEqual(started);
    expect(all.text).not.toContain("planted-secret");
    expect(idsOf((await file("?q=zebra")).text)).toEqual([started[0], started[2]]);
    expect((await file("?q=zebra&status=failed")).text).toBe("");
    expect((await file("?cost_min=0.5")).text).toBe("");
    expect(idsOf((await file("?cost_max=0.5&who=ana")).text)).toEqual(started);
  });

  test(verifies("history:export", "as CSV with a head, and no cell that a spreadsheet would run"), async () => {
    await database.db.run.update({ where: { id: started[0] }, data: { startedByName: '=HYPERLINK("x"),\nAna' } });
    const { type, text } = await file("?format=csv");
    expect(type).toBe("text/csv; charset=utf-8");
    const [head, first] = text.split("\r\n");
    expect(head).toMatch(/^run_id,workflow,version,status,started_by,/);
    expect(first).toContain(`${started[0]},main,1.2.0,pending,"'=HYPERLINK(""x""),\nAna",`);
    expect(text.split("\r\n")).toHaveLength(5);
  });

  test(
    verifies(
      "history:export",
      "with the person who started each, also where a token did, and none where none is on record",
    ),
    async () => {
      const { token_id: tokenId, person } = {
        token_id: started[1],
        person: (await database.db.run.findUniqueOrThrow({ where: { id: started[1] } })).startedByUserId,
      };
      await database.db.user.update({ where: { id: person ?? "" }, data: { name: "Jonas Weber" } });
      await database.db.run.update({
        where: { id: tokenId },
        data: { startedByKind: "token", startedByName: "nightly" },
      });
      await database.db.run.update({
        where: { id: started[2] },
        data: { startedByKind: "system", startedByName: "demo", startedByUserId: null },
      });
      const lines = (await file("")).text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { started_by: { kind: string; name: string; person: string | null } });
      expect(lines.slice(1).map(({ started_by: { kind, name, person: by } }) => [kind, name, by])).toEqual([
        ["token", "nightly", "Jonas Weber"],
        ["system", "demo", null],
      ]);
      const [head = "", , , last = ""] = (await file("?format=csv&q=lion")).text.split("\r\n");
      expect([head.split(",").slice(4, 8), last]).toEqual([
        ["started_by", "started_by_kind", "started_by_id", "started_by_person"],
        "",
      ]);
      expect((await file("?format=csv&q=lion")).text).toContain(",nightly,token,");
      expect((await file("?format=csv&q=lion")).text).toContain(",Jonas Weber,");
    },
  );

  test("pieces join without gap or repeat", async () => {
    const ids: string[] = [];
    for await (const run of streamRuns(database.db, {}, 1)) ids.push(run.id);
    expect(ids).toEqual(started);
  });
});

test("401 without a sign-in", async () => {
  expect((await ask(GET, "/runs/export", {})).status).toBe(401);
});

test("422 lists every problem of the query", async () => {
  const { status, body } = await ask(GET, "/runs/export?format=xml&cost_min=-1&colour=red", { token });
  expect([status, body.error.issues.map((issue: { path: string }) => issue.path).sort()]).toEqual([
    422,
    ["query", "query.cost_min", "query.format"],
  ]);
});
