import { expect, test } from "vitest";
import { listDecided } from "@/lib/store/queries/list-decided";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const PAY = "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test("what was decided last comes first, however long ago it was asked", async () => {
  const bench = await openEngineBench(database, { script: PAY, allowlist: "- name: t-none\n  require_approval: { reason: big }" });
  const asked = [];
  for (let count = 0; count < 10; count++) asked.push((await bench.pending(await bench.launch()))[0]!);
  const decided = asked.toReversed();
  for (const [place, approval] of decided.entries()) {
    bench.clock.advance(1_000);
    await bench.decide(approval, place % 2 === 0 ? "approved" : "rejected");
  }
  expect((await listDecided(database.db)).map(({ id }) => id)).toEqual(asked.slice(0, 8).map(({ id }) => id));
});
