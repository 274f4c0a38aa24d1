import { encode } from "next-auth/jwt";
import { expect, test } from "vitest";
import { KNOWN_BROWSER_COOKIE, openKnownBrowser, sealKnownBrowser } from "./known-browser";
import { sessionSecrets } from "./secrets";

const BROWSER = { id: "b-1", userId: "usr_1" };

test("a cookie opens to what was written into it", async () => {
  expect(await openKnownBrowser(await sealKnownBrowser(BROWSER))).toEqual(BROWSER);
});

test("a session's cookie, one sealed with another secret, an old one and a broken one are refused", async () => {
  const token = { sub: BROWSER.userId, browser: BROWSER.id };
  const forged = [
    await encode({ token, secret: sessionSecrets(), salt: "authjs.session-token" }),
    await encode({ token, secret: "another secret of enough length 000", salt: KNOWN_BROWSER_COOKIE }),
    await encode({ token, secret: sessionSecrets(), salt: KNOWN_BROWSER_COOKIE, maxAge: -60 }),
    `${await sealKnownBrowser(BROWSER)}x`,
    "",
    undefined,
  ];
  for (const sealed of forged) expect(await openKnownBrowser(sealed)).toBeNull();
});

test("two cookies of the same browser differ, so nothing can be read from them", async () => {
  const notes = await Promise.all([sealKnownBrowser(BROWSER), sealKnownBrowser(BROWSER)]);
  expect(notes[0]).not.toBe(notes[1]);
  for (const note of notes) expect(note).not.toContain(Buffer.from(BROWSER.userId).toString("base64url"));
});
