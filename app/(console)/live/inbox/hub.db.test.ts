import { expect, test, vi } from "vitest";
import { verifies } from "@/e2e/requirements";
import type { LiveEvent } from "@/lib/store/queries/list-live-events";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { inboxHub } from "./hub";

const database = useDatabase();
const PAY = "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test(verifies("inbox:live", "an open line hears of a question and of its decision, each once, and of nothing from before it was opened"), async () => {
  const bench = await openEngineBench(database, { script: PAY, allowlist: "- name: t-none\n  require_approval: { reason: big }" });
  const [before] = await bench.pending(await bench.launch());
  const heard: LiveEvent[] = [];
  const leave = inboxHub().join("usr_listener", (event) => heard.push(event));
  const [approval] = await bench.pending(await bench.launch());
  await bench.decide(approval!, "rejected", { reason: "secret reason" });
  await vi.waitFor(() => expect(heard.filter((event) => event.type === "approval.decided")).toHaveLength(1), 10_000);
  const about = (id: string | undefined) => heard.filter((event) => event.approvalId === id).map((event) => event.type);
  expect(about(approval?.id)).toEqual(["approval.requested", "approval.decided"]);
  expect(about(before?.id)).toEqual([]);
  expect(JSON.stringify(heard)).not.toContain("secret reason");
  leave?.();
});

test("one person holds a dozen lines and no more, and a line that was left makes room", () => {
  const hub = inboxHub();
  const lines = Array.from({ length: 12 }, () => hub.join("usr_many", () => undefined));
  expect(lines.every((leave) => leave !== null)).toBe(true);
  expect(hub.join("usr_many", () => undefined)).toBeNull();
  lines[0]?.();
  const again = hub.join("usr_many", () => undefined);
  expect(again).not.toBeNull();
  for (const leave of [...lines, again]) leave?.();
});
