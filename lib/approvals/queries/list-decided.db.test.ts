import { expect, test } from "vitest";
import { listDecided } from "@/lib/approvals/queries/list-decided";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test("everyone who approved is named in order, and for a rejection the person who rejected", async () => {
  const bench = await openEngineBench(database, {
    script: PAY,
    allowlist: "- name: t-none\n  require_approval: { reason: big, min_approvals: 2 }",
  });
  const people = [await bench.person(), await bench.person()];
  const namesOf = async (id: string) => (await listDecided(database.db)).find((row) => row.id === id)?.by;
  for (const [second, expected] of [
    ["approved", people],
    ["rejected", people.slice(1)],
  ] as const) {
    const [approval] = await bench.pending(await bench.launch());
    bench.clock.advance(1_000);
    await bench.decide(approval!, "approved", { by: people[0] });
    await bench.decide(approval!, second, { by: people[1] });
    expect(await namesOf(approval!.id)).toEqual(expected.map(({ actor }) => actor.name));
  }
});

test("what was decided last comes first, however long ago it was asked", async () => {
  const bench = await openEngineBench(database, {
    script: PAY,
    allowlist: "- name: t-none\n  require_approval: { reason: big }",
  });
  const asked = [];
  for (let count = 0; count < 10; count++) asked.push((await bench.pending(await bench.launch()))[0]!);
  const decided = asked.toReversed();
  for (const [place, approval] of decided.entries()) {
    bench.clock.advance(1_000);
    await bench.decide(approval, place % 2 === 0 ? "approved" : "rejected");
  }
  expect((await listDecided(database.db)).map(({ id }) => id)).toEqual(asked.slice(0, 8).map(({ id }) => id));
});
