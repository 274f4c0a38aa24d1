import { expect, test, vi } from "vitest";
import { verifies } from "@/e2e/requirements";
import { eventIdAt, type LiveEvent } from "@/lib/store/queries/list-live-events";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { cancelRun } from "@/lib/engine/cancel-run";
import { engineDeps } from "@/lib/engine/deps";
import { reviewStep } from "@/lib/engine/review-step";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { beginLook, endLook } from "@/lib/engine/look-at-card";
import type { Looker } from "@/lib/store/queries/list-lookers";
import { inboxHub } from "./hub";

const database = useDatabase();
const PAY = "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test(verifies("inbox:live", "an open line hears of a question and of its decision, each once, and of nothing from before it was opened"), async () => {
  const bench = await openEngineBench(database, { script: PAY, allowlist: "- name: t-none\n  require_approval: { reason: big }" });
  const [before] = await bench.pending(await bench.launch());
  const heard: LiveEvent[] = [];
  const leave = inboxHub().join({ onEvents: (events) => heard.push(...events) });
  const [approval] = await bench.pending(await bench.launch());
  await bench.decide(approval!, "rejected", { reason: "secret reason" });
  await vi.waitFor(() => expect(heard.filter((event) => event.type === "approval.decided")).toHaveLength(1), 10_000);
  const about = (id: string | undefined) => heard.filter((event) => event.approvalId === id).map((event) => event.type);
  expect(about(approval?.id)).toEqual(["approval.requested", "approval.decided"]);
  expect(about(before?.id)).toEqual([]);
  expect(JSON.stringify(heard)).not.toContain("secret reason");
  leave();
});

test(verifies("inbox:live", "an open line hears of what commits late, however much came before it, and nothing of runs that ask nobody"), async () => {
  const asking = await openEngineBench(database, { script: PAY, allowlist: "- name: t-none\n  require_approval: { reason: big }" });
  const free = await openEngineBench(database, { script: PAY, allowlist: "- t-none" });
  const heard: LiveEvent[] = [];
  const leave = inboxHub().join({ onEvents: (events) => heard.push(...events) });
  const asked = await asking.launch();
  await vi.waitFor(() => expect(heard.map(({ runId }) => runId)).toContain(asked), 10_000);
  const [event] = await database.db.event.findMany({ where: { chainId: asked, type: "approval.requested" } });
  const late = { ...event!, id: `${eventIdAt(new Date(Date.now() - 60_000))}late` };
  const said = Promise.withResolvers<void>();
  const isLast = Promise.withResolvers<void>();
  const committing = database.db.$transaction(async (tx) => {
    await tx.event.create({ data: late });
    said.resolve();
    await isLast.promise;
  }, { timeout: 20_000 });
  await said.promise;
  const freeRun = await free.launch();
  const next = await asking.launch();
  await vi.waitFor(() => expect(heard.map(({ runId }) => runId)).toContain(next), 10_000);
  expect(heard.map(({ id }) => id)).not.toContain(late.id);
  isLast.resolve();
  await committing;
  await vi.waitFor(() => expect(heard.map(({ id }) => id)).toContain(late.id), 10_000);
  expect(new Set(heard.map(({ id }) => id)).size, "each once").toBe(heard.length);
  expect(heard.map(({ runId }) => runId)).not.toContain(freeRun);
  leave();
});

test(verifies("inbox:looking", "an open line hears who has which card open, from the first moment and until they are gone"), async () => {
  const bench = await openEngineBench(database, { script: PAY, allowlist: "- name: t-none\n  require_approval: { reason: big }" });
  const [approval] = await bench.pending(await bench.launch());
  const [ana, ben] = [await bench.person(), await bench.person()];
  const deps = engineDeps();
  const looks = [ana, ben].map(({ userId }) => ({ approvalId: approval!.id, userId }));
  await beginLook(deps, looks[0]!);
  let shown: readonly Looker[] = [];
  const leave = inboxHub().join({ onEvents: () => undefined, onLookers: (lookers) => (shown = lookers) });
  const names = () => shown.map(({ userId }) => userId).toSorted();
  await vi.waitFor(() => expect(names()).toEqual([ana.userId]), 10_000);
  await beginLook(deps, looks[1]!);
  await vi.waitFor(() => expect(names()).toEqual([ana.userId, ben.userId].toSorted()), 10_000);
  await endLook(deps, looks[0]!);
  await vi.waitFor(() => expect(names()).toEqual([ben.userId]), 10_000);
  // A window that dies says nothing: its time runs out.
  await database.db.looker.updateMany({ data: { until: new Date(Date.now() - 1) } });
  await vi.waitFor(() => expect(names()).toEqual([]), 10_000);
  await bench.decide(approval!, "rejected");
  await beginLook(deps, looks[1]!);
  expect(await database.db.looker.count({ where: { approvalId: approval!.id, until: { gt: new Date() } } }), "nobody looks at what is decided").toBe(0);
  await expect(beginLook(deps, { ...looks[1]!, approvalId: "apr_none" })).rejects.toMatchObject({ code: "not_found" });
  leave();
});

test(verifies("needs:count", "an open line hears that an answer waits, that it was reviewed, and the end of a run that never asked for an approval"), async () => {
  const review = await openEngineBench(database, { script: "agents:\n  worker:\n    turns:\n      - output: { ktsu_needs_human: look }\n", allowlist: "- t-none" });
  const heard: LiveEvent[] = [];
  const leave = inboxHub().join({ onEvents: (events) => heard.push(...events) });
  const [reviewed, cancelled] = [await review.launch(), await review.launch()];
  await reviewStep(review.deps, TEST_ACTOR, { runId: reviewed, accepted: true });
  await cancelRun(review.deps, TEST_ACTOR, { runId: cancelled });
  const typesOf = (runId: string) => heard.filter((event) => event.runId === runId).map(({ type }) => type);
  await vi.waitFor(() => expect([typesOf(reviewed), typesOf(cancelled)]).toEqual([["step.needs_human_review", "step.reviewed"], ["step.needs_human_review", "run.cancelled"]]), 10_000);
  leave();
});
