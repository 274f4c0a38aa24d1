import { describe, expect, test } from "vitest";
import { type FreshRows, RunMemory } from "@/lib/engine/advance/run-memory";
import type { CallRow, RunRow } from "@/lib/store/queries/load-run";

const call = (id: string, status: CallRow["status"]) => ({ id, status, turnId: "turn_1" }) as CallRow;
const memoryWith = (...calls: CallRow[]) =>
  new RunMemory({ runId: "run_1", owner: "wrk_1", epoch: 1 }, { run: { id: "run_1", wakes: 0 } as RunRow, steps: [], turns: [], calls });
const fresh = (wakes: number, ...calls: CallRow[]): FreshRows => ({ wakes, steps: [], calls });

describe("catching up with what others wrote", () => {
  test("takes over a decision, and says that something changed", async () => {
    const memory = memoryWith(call("call_1", "pending_approval"));
    const changed = memory.changed;
    await memory.catchUp(async () => fresh(1, call("call_1", "approved")));
    await changed;
    expect(memory.calls.get("call_1")?.status).toBe("approved");
    expect(memory.seenWakes).toBe(1);
  });

  test("never goes behind a commit of this worker that came after the rows were read", async () => {
    const memory = memoryWith(call("call_1", "executing"), call("call_2", "pending_approval"));
    await memory.catchUp(async () => {
      const rows = fresh(1, call("call_1", "executing"), call("call_2", "approved"));
      memory.setCall("call_1", { status: "succeeded" });
      return rows;
    });
    expect(memory.calls.get("call_1")?.status).toBe("succeeded");
    expect(memory.calls.get("call_2")?.status).toBe("approved");
  });

  test("reads again when a row began to wait during the read, so that a decision on it is not taken for seen", async () => {
    const memory = memoryWith(call("call_1", "approved"));
    let reads = 0;
    await memory.catchUp(async () => {
      if (++reads === 1) memory.setCall("call_1", { status: "pending_approval" });
      return fresh(1, call("call_1", "approved"));
    });
    expect(reads).toBe(2);
    expect(memory.calls.get("call_1")?.status).toBe("approved");
  });

  test("is behind when a row begins to wait here after it was read: the decision may have been read before", async () => {
    const memory = memoryWith();
    memory.addCall(call("call_0", "pending_approval"));
    expect(memory.isBehind).toBe(false);
    await memory.catchUp(async () => fresh(1, call("call_1", "approved")));
    memory.addCall(call("call_1", "pending_approval"));
    expect(memory.isBehind).toBe(true);
    await memory.catchUp(async () => fresh(1, call("call_1", "approved")));
    expect(memory.isBehind).toBe(false);
    expect(memory.calls.get("call_1")?.status).toBe("approved");
  });

  test("two who ask during a read are served by one more, which begins after they asked", async () => {
    const memory = memoryWith(call("call_1", "pending_approval"));
    const gate = Promise.withResolvers<void>();
    let reads = 0;
    const read = async () => {
      const number = ++reads;
      if (number === 1) await gate.promise;
      return fresh(number, call("call_1", "pending_approval"));
    };
    const first = memory.catchUp(read);
    await Promise.resolve();
    const others = [memory.catchUp(read), memory.catchUp(read)];
    gate.resolve();
    await Promise.all([first, ...others]);
    expect(reads).toBe(2);
    expect(memory.seenWakes).toBe(2);
  });

  test("a read that fails is told to who asked, and the next one is made all the same", async () => {
    const memory = memoryWith();
    await expect(memory.catchUp(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
    await memory.catchUp(async () => fresh(3));
    expect(memory.seenWakes).toBe(3);
  });
});
