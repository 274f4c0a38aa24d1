import { afterEach, describe, expect, test } from "vitest";
import { pause, PAUSE_POINTS } from "@/lib/pause";
import { type ChildProgram, startChildProgram } from "./child-program";
import { holdAt, listenForPauses, releaseAll } from "./pause-points";

const CHILD = "lib/testing/pause-child.ts";
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  releaseAll();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen() {
  const pauses = await listenForPauses();
  cleanups.push(() => pauses.close());
  const start = async (subject: string, ...points: string[]): Promise<ChildProgram> => {
    const child = await startChildProgram(CHILD, { env: pauses.env, args: [subject, ...points] });
    cleanups.push(() => child.stop("SIGKILL"));
    return child;
  };
  return { pauses, start };
}

describe("a point that nobody holds", () => {
  test("returns no promise at all", () => {
    for (const point of PAUSE_POINTS) expect(pause(point)).toBeUndefined();
  });

  test("returns no promise while another point is held", () => {
    holdAt("claim-run:before-commit");
    expect(pause("claim-run:after-commit")).toBeUndefined();
  });
});

test("every point has its own name", () => {
  expect(new Set(PAUSE_POINTS).size).toBe(PAUSE_POINTS.length);
  expect(PAUSE_POINTS).toContain("decide-approval:before-commit");
  expect(PAUSE_POINTS).toContain("dispatch-call:after-executing-commit");
});

describe("in this process", () => {
  test("a held flow waits until it is released", async () => {
    const hold = holdAt("decide-approval:before-commit");
    const seen: string[] = [];
    const flow = (async () => {
      await pause("decide-approval:before-commit", "apr_1");
      seen.push("went on");
    })();
    const standing = await hold.reached();
    expect(standing.subject).toBe("apr_1");
    expect(seen).toEqual([]);
    standing.release();
    await flow;
    expect(seen).toEqual(["went on"]);
  });

  test("two flows are released in the order the test chooses", async () => {
    const hold = holdAt("decide-approval:before-commit");
    const order: string[] = [];
    const flows = ["ana", "ben"].map(async (who) => {
      await pause("decide-approval:before-commit", who);
      order.push(who);
    });
    const [ana, ben] = await hold.reachedBy(2);
    ben!.release();
    await flows[1];
    ana!.release();
    await Promise.all(flows);
    expect(order).toEqual(["ben", "ana"]);
  });

  test("only the chosen subject and only the first arrivals are held", async () => {
    holdAt("claim-run:after-commit", { subject: "run_1", first: 1 });
    expect(pause("claim-run:after-commit", "run_2")).toBeUndefined();
    expect(pause("claim-run:after-commit", "run_1")).toBeInstanceOf(Promise);
    expect(pause("claim-run:after-commit", "run_1")).toBeUndefined();
  });

  test("a point that is never reached is reported with those that were", async () => {
    const hold = holdAt("park-run:before-commit");
    void pause("claim-run:before-commit", "run_7");
    await expect(hold.reached(1)).rejects.toThrow(
      /0 of 1 stood at park-run:before-commit[\s\S]*claim-run:before-commit run_7/,
    );
  });

  test("the test's own process is never killed", async () => {
    const hold = holdAt("park-run:before-commit");
    void pause("park-run:before-commit");
    expect((await hold.reached()).kill).toThrow("only child processes can be killed");
  });
});

describe("across processes", () => {
  test("a child that is held nowhere passes every point and ends by itself", async () => {
    const { pauses, start } = await listen();
    const child = await start("run_1", ...PAUSE_POINTS);
    expect(await child.ended).toEqual({ code: 0, signal: null });
    expect(pauses.trace().map(({ point }) => point)).toEqual(PAUSE_POINTS);
  });

  test("a child waits at the point and continues when released", async () => {
    const { pauses, start } = await listen();
    const hold = pauses.holdAt("dispatch-call:before-call");
    const child = await start("call_1", "dispatch-call:after-executing-commit", "dispatch-call:before-call");
    expect(await hold.reached()).toMatchObject({
      pid: child.pid,
      subject: "call_1",
      point: "dispatch-call:before-call",
    });
    expect(await child.nextLine()).toBe("dispatch-call:after-executing-commit");
    hold.release();
    expect(await child.nextLine()).toBe("dispatch-call:before-call");
    expect(await child.ended).toEqual({ code: 0, signal: null });
  });

  test("a child killed at the point never passes it, and another child is not affected", async () => {
    const { pauses, start } = await listen();
    const hold = pauses.holdAt("dispatch-call:before-result-commit");
    const first = await start("call_1", "dispatch-call:after-call", "dispatch-call:before-result-commit");
    const standing = await hold.reached();
    standing.kill();
    expect(await first.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(await first.nextLine()).toBe("dispatch-call:after-call");
    await expect(first.nextLine()).rejects.toThrow("ended (SIGKILL)");
    hold.release();
    const second = await start("call_1", "dispatch-call:before-result-commit");
    expect(await second.ended).toEqual({ code: 0, signal: null });
  });

  test("one of two children is held by its process id", async () => {
    const { pauses, start } = await listen();
    const everyone = pauses.holdAt("claim-run:before-commit");
    const [one, two] = [
      await start("a", "claim-run:before-commit", "claim-run:after-commit"),
      await start("b", "claim-run:before-commit", "claim-run:after-commit"),
    ];
    await everyone.reachedBy(2);
    const hold = pauses.holdAt("claim-run:after-commit", { pid: one!.pid });
    everyone.release();
    expect((await hold.reached()).subject).toBe("a");
    expect(await two!.ended).toEqual({ code: 0, signal: null });
  });

  test("a child continues when the test that held it is gone", async () => {
    const { pauses, start } = await listen();
    const hold = pauses.holdAt("webhook:before-call");
    const child = await start("run_1", "webhook:before-call", "webhook:after-call");
    await hold.reached();
    await pauses.close();
    expect(await child.ended).toEqual({ code: 0, signal: null });
  });
});
