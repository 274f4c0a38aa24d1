/** What a browser receives and stores while a person opens everything. */
import type { BrowserContext, Page, Request } from "@playwright/test";
import { expect } from "../fixtures";
import { PLACES, PUBLIC_PLACES } from "../places";
import type { Runs } from "./drive-runs";
import type { MailServer } from "./mail-server";
import type { OwnApp } from "./own-app";
import type { Place } from "./search";

/** Keeps every answer that the browser gets, and what its pages hold. */
export function record(context: BrowserContext, places: Place[]): () => Promise<void> {
  const waiting: Promise<void>[] = [];
  const files = new Set<string>();
  const read = async (request: Request) => {
    const response = await request.response();
    const { "set-cookie": _cookie, ...headers } = response?.headers() ?? {};
    // An open connection never has a complete text; the same ones are recorded outside the browser.
    if (String(headers["content-type"]).startsWith("text/event-stream")) return;
    const body = await response?.text().catch(() => "");
    places.push({ name: `answer ${request.method()} ${request.url()}`, text: `${JSON.stringify(headers)}\n${body}` });
  };
  // An answer that the page gave up, as when it is left, never has a text.
  context.on("requestfinished", (request) => {
    // Scripts and styles are the same each time.
    const isFile = request.url().includes("/_next/static/");
    if (isFile && files.has(request.url())) return;
    if (isFile) files.add(request.url());
    waiting.push(read(request));
  });
  return async () => void (await Promise.all(waiting));
}

/** Opens an address, and keeps what is shown and what the browser stores. */
export async function readPage(page: Page, path: string, places: Place[]): Promise<void> {
  await page.goto(path);
  await keepPage(page, path, places);
}

async function keepPage(page: Page, path: string, places: Place[]): Promise<void> {
  const storage = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  places.push({ name: `page ${path}`, text: await page.content() }, { name: `storage ${path}`, text: storage });
}

export async function readPages(
  page: Page,
  app: OwnApp,
  { runs, search }: { runs: readonly Runs[]; search: string },
  places: Place[],
): Promise<void> {
  await app.untilProjected();
  const steps = await app.db.step.findMany({ select: { id: true, runId: true } });
  const tools = await app.db.toolPin.findMany({
    where: { tool: { in: ["act", "echo", "echo-headers"] } },
    select: { server: true, tool: true },
  });
  const groups = await app.db.group.findMany({ select: { id: true } });
  const sessions = await app.db.clientSession.findMany({ select: { id: true } });
  const ofRun = (runId: string) =>
    [
      "",
      "/steps",
      "/events",
      "/approvals",
      ...steps.filter((step) => step.runId === runId).map(({ id }) => `/steps/${id}`),
    ].map((tail) => `/history/${runId}${tail}`);
  const paths = [
    "/",
    ...[...PLACES, ...PUBLIC_PLACES].map(({ path }) => path),
    `/history?q=${search}`,
    "/workflows/main",
    "/workflows/door",
    ...groups.map(({ id }) => `/settings/groups/${id}`),
    ...sessions.map(({ id }) => `/clients/${id}`),
    ...runs.flatMap(({ main, failed, approvalId }) => [`/inbox/${approvalId}`, ...[main, failed].flatMap(ofRun)]),
    ...[...runs.flatMap(({ rejected, edited }) => [rejected, edited]), ...(runs.at(-1)?.inEachWay ?? [])].map(
      (runId) => `/history/${runId}`,
    ),
    ...tools.map(({ server, tool }) => `/tools/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`),
  ];
  for (const path of paths) await readPage(page, path, places);
}

/**
 * An admin tries each channel: one that returns the address it was sent to, and the mail server in each of its modes.
 */
export async function tryChannels(page: Page, mail: MailServer, places: Place[]): Promise<void> {
  const attempts = [
    { channel: "refusing", says: "It answered 500." },
    { channel: "letters", mood: "refuse-sign-in", says: "The mail server did not take it" },
    { channel: "letters", mood: "put-off", says: "The mail server did not take it" },
    { channel: "letters", mood: "take", says: "letters took the test message" },
  ] as const;
  for (const attempt of attempts) {
    if ("mood" in attempt) mail.will(attempt.mood);
    await page.goto("/settings/channels");
    const row = page.getByRole("row").filter({ hasText: attempt.channel });
    await row.getByRole("button").click();
    await expect(page.getByText(attempt.says).first()).toBeVisible();
    await keepPage(page, `/settings/channels after trying ${attempt.channel}`, places);
  }
}
