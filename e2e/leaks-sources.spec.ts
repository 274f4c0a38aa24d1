/**
 * Proves that the search for leaks would find one: a secret is planted in each kind of place that it searches, and read
 * the same way.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Browser } from "@playwright/test";
import { createTransport } from "nodemailer";
import { connect } from "@/lib/database/client";
import { startTraceCollector } from "@/lib/testing/trace-collector";
import { startNode } from "../scripts/process/node-child.mjs";
import { expect, test } from "./fixtures";
import { ask } from "./leaks/ask";
import { startGivingBack } from "./leaks/giving-back";
import { createListener } from "./leaks/listen";
import { startMailServer } from "./leaks/mail-server";
import { createDatabase, type OwnApp, readFolder } from "./leaks/own-app";
import { readDatabase } from "./leaks/read-database";
import { readPage, record } from "./leaks/read-pages";
import { formsOf, type Place, search } from "./leaks/search";
import { FAULT_PROGRAM, writeFault } from "./leaks/uncaught-fault";

const SECRET = 'snt-self-0a1b/+&"~';

test("the search finds a secret in each of its forms, in any place", () => {
  for (const [form, text] of formsOf(SECRET)) {
    expect(
      search([{ name: "here", text: `before ${text} after` }], { self: SECRET }).map((hit) => hit.form),
      form,
    ).toContain(form);
  }
  for (const before of ["", "x", "xy"])
    expect(
      search([{ name: "here", text: Buffer.from(`${before}${SECRET}tail`).toString("base64") }], { self: SECRET }),
    ).not.toEqual([]);
  expect(search([{ name: "here", text: "nothing of it" }], { self: SECRET })).toEqual([]);
});

/** Puts the secret there, and gives what the search would be given. */
const SOURCES: Record<string, (at: { browser: Browser }) => Promise<Place[]>> = {
  "a line of server-sent events, in two pieces": async () => {
    const server = await serve((_request, response) => {
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write(`data: ${SECRET.slice(0, 7)}`, () => response.end(`${SECRET.slice(7)}\n\n`));
    });
    const listener = createListener();
    await listener.open("of a run", server.url, {});
    await expect.poll(() => listener.heard()[0]!.text).toContain("\n\n");
    await listener.close();
    await server.close();
    return listener.heard();
  },
  "the head of a line of server-sent events": async () => {
    const server = await serve(
      (_request, response) =>
        void response.writeHead(200, { "content-type": "text/event-stream", "x-said": SECRET }).end(),
    );
    const listener = createListener();
    await listener.open("of a run", server.url, {});
    await listener.close();
    await server.close();
    return listener.heard();
  },
  "the subject of a letter": () => receive({ subject: `${"Ä wörd ".repeat(12)}${SECRET}`, text: "nothing" }),
  "the text of a letter, where a line is broken": () =>
    receive({ subject: "nothing", text: `${"x".repeat(68)}${SECRET} ä` }),
  "the text of a letter, as base64": () => receive({ subject: "nothing", text: `${"日本".repeat(60)}${SECRET}` }),
  "a message to a program": async () => {
    const givingBack = await startGivingBack(() => []);
    await fetch(`${givingBack.places.hook}/told`, { method: "POST", body: JSON.stringify({ said: SECRET }) });
    const told = givingBack.told();
    await givingBack.close();
    return [{ name: "told", text: told }];
  },
  "the log of a process": () => speak("process.stdout.write(`${process.env.SELF}\\n`)"),
  "the errors of a process": () => speak("process.stderr.write(`${process.env.SELF}\\n`)"),
  "the last words of a process that threw": () => crash("thrown"),
  "the last words of a process that rejected": () => crash("rejected"),
  "a trace": async () => {
    const collector = await startTraceCollector();
    await fetch(`${collector.endpoint}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ said: SECRET }] }),
    });
    await collector.close();
    return [{ name: "traces", text: collector.text() }];
  },
  "a file": async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-leaks-self-"));
    writeFileSync(path.join(folder, "kept"), SECRET);
    const places = readFolder(folder);
    rmSync(folder, { recursive: true });
    return places;
  },
  "a text in the database": () => keep("text", `the key is ${SECRET}`),
  "a text of JSON in the database": () => keep("text", JSON.stringify({ key: SECRET })),
  "JSON in the database": () => keep("jsonb", JSON.stringify({ key: [SECRET] })),
  "a list in the database": () => keep("text[]", `{${JSON.stringify(SECRET)}}`),
  "bytes in the database": () => keep("bytea", Buffer.from(`x${SECRET}`)),
  "an answer to a program": async () => {
    const server = await serve((_request, response) => void response.end(SECRET));
    const places: Place[] = [];
    await ask({ url: server.url } as OwnApp, places, "GET", "/");
    await server.close();
    return places;
  },
  "an answer to a page": async ({ browser }) =>
    (await browse(browser, "<p id=p></p>", SECRET)).filter(({ name }) => name.startsWith("answer")),
  "a page": async ({ browser }) =>
    (await browse(browser, `<p>${SECRET.replaceAll("&", "&amp;")}</p>`)).filter(({ name }) => name.startsWith("page")),
  "the browser's storage": async ({ browser }) =>
    (
      await browse(
        browser,
        `<script>sessionStorage.setItem("kept", atob("${Buffer.from(SECRET).toString("base64")}"))</script>`,
      )
    ).filter(({ name }) => name.startsWith("storage")),
};

for (const [source, plant] of Object.entries(SOURCES)) {
  test(`the search finds a secret in ${source}`, async ({ browser }) => {
    expect(search(await plant({ browser }), { self: SECRET })).not.toEqual([]);
  });
}

async function receive(letter: { subject: string; text: string }): Promise<Place[]> {
  const mail = await startMailServer({ user: "someone", password: "something" });
  const transport = createTransport({ url: mail.url });
  await transport.sendMail({ from: "a@example.test", to: "b@example.test", ...letter });
  transport.close();
  await mail.close();
  return mail.mails();
}

async function speak(script: string, more: Record<string, string> = {}): Promise<Place[]> {
  const lines: string[] = [];
  const child = startNode({
    name: "self",
    args: ["--input-type=module", "-e", script],
    env: { PATH: process.env.PATH, SELF: SECRET, ...more },
    write: (line: string) => void lines.push(line),
  }) as { ended: Promise<unknown> };
  await child.ended;
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  return [{ name: "logs", text: lines.join("\n") }];
}

async function crash(kind: "thrown" | "rejected"): Promise<Place[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-leaks-self-"));
  writeFileSync(path.join(folder, "fault.mjs"), FAULT_PROGRAM);
  writeFault(folder, [kind], ["SELF"]);
  const places = await speak('process.kill(process.pid, "SIGUSR2"); setInterval(() => {}, 1000)', {
    NODE_OPTIONS: `--import ${path.join(folder, "fault.mjs")}`,
  });
  rmSync(folder, { recursive: true });
  return places;
}

async function keep(type: string, value: string | Buffer): Promise<Place[]> {
  const database = await createDatabase();
  const db = connect(database.url, 1);
  try {
    await db.$executeRawUnsafe(`CREATE TABLE kept (it ${type})`);
    await db.$executeRawUnsafe(`INSERT INTO kept VALUES ($1::${type})`, value);
    return await readDatabase(db);
  } finally {
    await db.$disconnect();
    await database.drop();
  }
}

async function browse(browser: Browser, page: string, said = ""): Promise<Place[]> {
  const server = await serve((request, response) => {
    if (request.url === "/said") return void response.end(said);
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(
        `<!doctype html>${page}<script>fetch("/said").then((answer) => answer.text()).then(() => (document.title = "asked"))</script>`,
      );
  });
  const context = await browser.newContext({ baseURL: server.url });
  const places: Place[] = [];
  const seen = record(context, places);
  const window = await context.newPage();
  await window.goto("/");
  await expect(window).toHaveTitle("asked");
  await readPage(window, "/", places);
  await seen();
  await context.close();
  await server.close();
  return places;
}

async function serve(answer: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
