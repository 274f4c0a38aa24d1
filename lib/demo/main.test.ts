import { afterEach, expect, test } from "vitest";
import { type ChildProgram, startChildProgram } from "@/lib/testing/child-program";

const children: ChildProgram[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) await child.stop("SIGKILL");
});

async function startShop(env: Record<string, string> = {}) {
  const child = await startChildProgram("lib/demo/main.ts", { env: { KIMITSU_DEMO_PORT: "0", ...env } });
  children.push(child);
  return child;
}

test("the shop says on one line where it listens, and answers there", async () => {
  const child = await startShop();
  const { listening } = JSON.parse(await child.nextLine()) as { listening: number };
  expect((await fetch(`http://127.0.0.1:${listening}/hooks`)).status).toBe(200);
});

test("the shop ends when the process that started it is gone", async () => {
  const child = await startShop();
  await child.nextLine();
  child.disconnect();
  expect(await child.ended).toEqual({ code: 0, signal: null });
});

test("the shop ends on SIGTERM", async () => {
  const child = await startShop();
  await child.nextLine();
  await child.stop();
  expect(await child.ended).toEqual({ code: 0, signal: null });
});

test("a port in use and an invalid port are reported in plain words", async () => {
  const first = await startShop();
  const { listening } = JSON.parse(await first.nextLine()) as { listening: number };
  await expect((await startShop({ KIMITSU_DEMO_PORT: String(listening) })).nextLine()).rejects.toThrow(
    /code 1[\s\S]*its port is in use/,
  );
  await expect((await startShop({ KIMITSU_DEMO_PORT: "x" })).nextLine()).rejects.toThrow("KIMITSU_DEMO_PORT");
});
