/**
 * Every server action of the console, called by everybody: by people who are not signed in and by each role, with their
 * own things and with another's. The list comes from the build: an action that is missing in the cases fails as soon as
 * it appears.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROLES } from "@/lib/people/rules/roles";
import type { EngineDeps } from "@/lib/database/deps";
import { pauseDispatch } from "@/lib/runs/pause-dispatch";
import { buildUser } from "@/lib/testing/builders";
import { catchUpByItself } from "@/lib/testing/caught-up-client";
import { dumpDatabase } from "@/lib/testing/dump-database";
import { projectAll } from "@/lib/testing/project-all";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { sessionCookie } from "@/lib/testing/requests";
import { type ActionAnswer, callAction, listActions } from "./actions/call-action";
import { CASES, OPEN } from "./actions/cases";
import { makeThings, thingsProject } from "./actions/things";
import { expect, type Person, required, test } from "./fixtures";
import { type MailServer, startMailServer } from "./leaks/mail-server";
import { type OwnApp, startOwnApp } from "./leaks/own-app";
import { verifies } from "./requirements";

test.describe.configure({ mode: "default" });

let app: OwnApp;
let deps: EngineDeps;
let recorder: RecordingServer;
let mail: MailServer;
test.beforeAll(async () => {
  recorder = await startRecordingServer({});
  mail = await startMailServer({ user: "kimitsu", password: "something" });
  app = await startOwnApp(thingsProject(recorder.url), {
    AUTH_SECRET: required("AUTH_SECRET"),
    LOG_LEVEL: "warn",
    KIMITSU_SMTP_URL: mail.url,
  });
  deps = { db: catchUpByItself(app.db), now: () => new Date() };
});
test.afterAll(async () => {
  await app?.remove();
  await recorder?.close();
  await mail?.close();
});

/**
 * Without what the application does by itself, whoever asks for what, and what counts attempts. The projections are up to the
 * journal, so that what it had still to project is no difference.
 */
async function state(): Promise<Record<string, string>> {
  await projectAll(deps.db);
  const {
    workers: _workers,
    anchors: _anchors,
    tool_server_states: _states,
    notices: _notices,
    throttles: _throttles,
    settings = "",
    ...rest
  } = await dumpDatabase(deps.db);
  // A partition holds the same rows of the journal a second time.
  const tables = Object.entries(rest).filter(([table]) => !table.startsWith("journal_"));
  return { ...Object.fromEntries(tables), settings: settings.replaceAll(/^key=(notices|projections)\.place.*$/gm, "") };
}

async function changedSince(before: Record<string, string>): Promise<string[]> {
  const after = await state();
  return Object.keys(after).filter((table) => after[table] !== before[table]);
}

/** To the sign-in page, or as if there were nothing, or in words. */
const isRefused = ({ status, redirect, text }: ActionAnswer) =>
  redirect?.startsWith("/sign-in?next=") ||
  status === 404 ||
  /"status":"failed"|"kind":"not_recorded"|"kind":"not_shown"|"ok":false/.test(text);

const actions = listActions();
const find = (name: string) => actions.find((action) => action.name === name)!;

test("the cases cover every action", () => {
  expect(actions.map(({ name }) => name).toSorted()).toEqual([...Object.keys(CASES), ...Object.keys(OPEN)].toSorted());
  const written = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
    .map((file) => ({ file: file.split(path.sep).join("/"), text: readFileSync(path.join("app", file), "utf8") }))
    .filter(({ text }) => text.startsWith('"use server";'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/^export (?:async function|const) (\w+)/gm)].map(([, name]) => `${file} ${name}`),
    );
  expect(actions.map(({ name }) => name).toSorted()).toEqual(written.toSorted());
});

for (const [name, cases] of Object.entries(CASES)) {
  for (const { about, may, reads, make } of cases) {
    test(
      verifies(
        "access:refused",
        `${name}${about ? `, ${about},` : ""} is for ${may.length === 0 ? "nobody" : may.join(", ")}, and a refusal changes nothing`,
      ),
      async () => {
        const nobody = await buildUser(deps, "admin", { name: "Not signed in" });
        const callers: { who: string; self: Person; cookie: string | null; mayCall: boolean }[] = [
          { who: "whoever is not signed in", self: nobody, cookie: null, mayCall: false },
        ];
        for (const role of ROLES) {
          const self = await buildUser(deps, role, { name: `A ${role}` });
          callers.push({ who: role, self, cookie: await sessionCookie(self), mayCall: may.includes(role) });
        }
        for (const { who, self, cookie, mayCall } of callers) {
          const { args, params = {} } = await make(makeThings({ deps, base: app.url, self }));
          const before = await state();
          const answer = await callAction(app.url, find(name), args, { cookie, params });
          expect(isRefused(answer), `${who}: ${JSON.stringify(answer).slice(0, 600)}`).toBe(!mayCall);
          const changed = await changedSince(before);
          if (mayCall && !reads) expect(changed, `tables that ${who} changed`).not.toEqual([]);
          else expect(changed, `tables that ${who} changed`).toEqual([]);
          // Whatever an admin paused continues, for later tests.
          await pauseDispatch(deps, nobody.actor, false);
        }
      },
    );
  }
}

for (const [name, { args, changes = [] }] of Object.entries(OPEN)) {
  test(
    verifies(
      "access:refused",
      `${name} is open to all, and changes ${changes.length > 0 ? "only what is the caller's own" : "nothing that is kept"}`,
    ),
    async () => {
      const viewer = await buildUser(deps, "viewer", { name: "A viewer" });
      for (const { cookie, changed } of [
        { cookie: null, changed: [] },
        { cookie: await sessionCookie(viewer), changed: changes },
      ]) {
        const before = await state();
        expect((await callAction(app.url, find(name), args, { cookie, params: {} })).status).toBeLessThan(500);
        expect((await changedSince(before)).toSorted()).toEqual(changed);
      }
    },
  );
}

for (const name of [...Object.keys(CASES), ...Object.keys(OPEN).filter((open) => !open.endsWith("signOutHere"))]) {
  test(
    verifies("actions:anything", `${name} refuses what no page sends, and neither breaks nor changes anything by it`),
    async () => {
      const admin = await buildUser(deps, "admin", { name: "An admin" });
      const before = await state();
      for (const args of [[null], ["x", null], [null, null]]) {
        const answer = await callAction(app.url, find(name), args, { cookie: await sessionCookie(admin), params: {} });
        expect.soft(answer.status, `${JSON.stringify(args)}: ${answer.text.slice(0, 300)}`).toBeLessThan(500);
        if (name.endsWith("decideCard"))
          expect
            .soft(answer.text, JSON.stringify(args))
            .toMatch(/"kind":"not_recorded","why":"invalid","message":"[^"]*expected/);
      }
      expect(await changedSince(before)).toEqual([]);
    },
  );
}
