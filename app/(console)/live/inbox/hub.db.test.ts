import { expect, test, vi } from "vitest";
import { verifies } from "@/e2e/requirements";
import { eventIdAt, type LiveEvent } from "@/lib/approvals/queries/list-live-events";
import { useDatabase } from "@/lib/testing/database";
import { HANG_MS } from "@/lib/testing/hang";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { cancelRun } from "@/lib/runs/cancel-run";
import { engineDeps } from "@/lib/database/deps";
import { reviewStep } from "@/lib/runs/review-step";
import { REVIEWER_ACTOR, TEST_ACTOR } from "@/lib/testing/run-bench";
import { beginLook, endLook } from "@/lib/approvals/look-at-card";
import type { CardViewer } from "@/lib/approvals/queries/list-viewers";
import { inboxHub } from "./hub";

const database = useDatabase();
const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test(
  verifies(
    "inbox:live",
    "a live connection gets a question and its decision, each once, and nothing from before it was opened",
  ),
  async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: "- name: t-none\n  require_approval: { reason: big }",
    });
    const [before] = await bench.pending(await bench.launch());
    const heard: LiveEvent[] = [];
    const opened = Promise.withResolvers<void>();
    const leave = inboxHub().join({ onEvents: (events) => heard.push(...events), onViewers: () => opened.resolve() });
    await opened.promise;
    const [approval] = await bench.pending(await bench.launch());
    await bench.decide(approval!, "rejected", { reason: "secret reason" });
    await vi.waitFor(() => expect(heard.filter((event) => event.type === "approval.decided")).toHaveLength(1), HANG_MS);
    const about = (id: string | undefined) =>
      heard.filter((event) => event.approvalId === id).map((event) => event.type);
    expect(about(approval?.id)).toEqual(["approval.requested", "approval.decided"]);
    expect(about(before?.id)).toEqual([]);
    expect(JSON.stringify(heard)).not.toContain("secret reason");
    leave();
  },
);

test(
  verifies(
    "inbox:live",
    "a live connection gets what commits late, however much came before it, and nothing of runs that ask nobody",
  ),
  async () => {
    const asking = await openEngineBench(database, {
      script: PAY,
      allowlist: "- name: t-none\n  require_approval: { reason: big }",
    });
    const free = await openEngineBench(database, { script: PAY, allowlist: "- t-none" });
    const heard: LiveEvent[] = [];
    const leave = inboxHub().join({ onEvents: (events) => heard.push(...events) });
    const asked = await asking.launch();
    await vi.waitFor(() => expect(heard.map(({ runId }) => runId)).toContain(asked), HANG_MS);
    const row = await database.db.journal.findFirstOrThrow({
      where: { runId: asked, body: { contains: "approval.requested" } },
    });
    const late = { id: `${eventIdAt(new Date(Date.now() - 60_000))}late` };
    const body = row.body.replace(/evt_\w+(?=","type":"approval.requested")/, late.id);
    const said = Promise.withResolvers<void>();
    const isLast = Promise.withResolvers<void>();
    const committing = database.db.$transaction(
      async (tx) => {
        await tx.journal.create({ data: { ...row, seq: row.seq + 100, body, tx: undefined } });
        said.resolve();
        await isLast.promise;
      },
      { timeout: HANG_MS },
    );
    await said.promise;
    const freeRun = await free.launch();
    const next = await asking.launch();
    await vi.waitFor(() => expect(heard.map(({ runId }) => runId)).toContain(next), HANG_MS);
    expect(heard.map(({ id }) => id)).not.toContain(late.id);
    isLast.resolve();
    await committing;
    await vi.waitFor(() => expect(heard.map(({ id }) => id)).toContain(late.id), HANG_MS);
    expect(new Set(heard.map(({ id }) => id)).size, "each once").toBe(heard.length);
    expect(heard.map(({ runId }) => runId)).not.toContain(freeRun);
    leave();
  },
);

test(
  verifies(
    "inbox:live",
    "a page gets what happened between its reading and its connection, and learns when that is no longer known",
  ),
  async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: "- name: t-none\n  require_approval: { reason: big }",
    });
    const [approval] = await bench.pending(await bench.launch());
    const readAt = new Date();
    await bench.decide(approval!, "rejected");
    const listen = (after: string) => {
      const heard: string[] = [];
      const leave = inboxHub().join({
        after,
        onEvents: (events) =>
          heard.push(...events.filter(({ approvalId }) => approvalId === approval!.id).map(({ type }) => type)),
        onBehind: () => heard.push("behind"),
      });
      return { heard, leave };
    };
    const first = listen(eventIdAt(readAt));
    await vi.waitFor(() => expect(first.heard).toEqual(["approval.decided"]), HANG_MS);
    const second = listen(eventIdAt(readAt));
    expect(second.heard).toEqual(["approval.decided"]);
    const old = listen(eventIdAt(new Date(readAt.getTime() - 60_000)));
    expect(old.heard[0]).toBe("behind");
    for (const { leave } of [first, second, old]) leave();
  },
);

test(
  verifies(
    "inbox:looking",
    "a live connection gets who has which card open, from the first moment and until they are gone",
  ),
  async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: "- name: t-none\n  require_approval: { reason: big }",
    });
    const [approval] = await bench.pending(await bench.launch());
    const [ana, ben] = [await bench.person(), await bench.person()];
    const deps = engineDeps();
    const looks = [ana, ben].map(({ userId }) => ({ approvalId: approval!.id, userId }));
    await beginLook(deps, looks[0]!);
    let shown: readonly CardViewer[] = [];
    const leave = inboxHub().join({ onEvents: () => undefined, onViewers: (viewers) => (shown = viewers) });
    const names = () => shown.map(({ userId }) => userId).toSorted();
    await vi.waitFor(() => expect(names()).toEqual([ana.userId]), HANG_MS);
    await beginLook(deps, looks[1]!);
    await vi.waitFor(() => expect(names()).toEqual([ana.userId, ben.userId].toSorted()), HANG_MS);
    await endLook(deps, looks[0]!);
    await vi.waitFor(() => expect(names()).toEqual([ben.userId]), HANG_MS);
    // A window that dies sends nothing: its time runs out.
    await database.db.viewer.updateMany({ data: { until: new Date(Date.now() - 1) } });
    await vi.waitFor(() => expect(names()).toEqual([]), HANG_MS);
    await bench.decide(approval!, "rejected");
    await beginLook(deps, looks[1]!);
    expect(
      await database.db.viewer.count({ where: { approvalId: approval!.id, until: { gt: new Date() } } }),
      "nobody looks at what is decided",
    ).toBe(0);
    await expect(beginLook(deps, { ...looks[1]!, approvalId: "apr_none" })).rejects.toMatchObject({
      code: "not_found",
    });
    leave();
  },
);

test(
  verifies(
    "needs:count",
    "a live connection gets that an answer waits, that it was reviewed, and the end of a run that never asked for an approval",
  ),
  async () => {
    const review = await openEngineBench(database, {
      script: "agents:\n  worker:\n    turns:\n      - output: { ktsu_needs_human: look }\n",
      allowlist: "- t-none",
    });
    const heard: LiveEvent[] = [];
    const leave = inboxHub().join({ onEvents: (events) => heard.push(...events) });
    const [reviewed, cancelled] = [await review.launch(), await review.launch()];
    await reviewStep(review.deps, REVIEWER_ACTOR, { runId: reviewed, accepted: true });
    await cancelRun(review.deps, TEST_ACTOR, { runId: cancelled });
    const typesOf = (runId: string) => heard.filter((event) => event.runId === runId).map(({ type }) => type);
    await vi.waitFor(
      () =>
        expect([typesOf(reviewed), typesOf(cancelled)]).toEqual([
          ["step.needs_human_review", "step.reviewed"],
          ["step.needs_human_review", "run.cancelled"],
        ]),
      HANG_MS,
    );
    leave();
  },
);
