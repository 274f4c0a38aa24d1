import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { readGitHubProfile } from "@/lib/people/session/github-profile";

const USER = { id: 7, login: "rea", name: "Rea", email: "shown@example.com" };

/** The parts of GitHub that a sign-in uses. */
async function startGitHub(emails: unknown, status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response
      .writeHead(request.url === "/user" ? 200 : status, { "content-type": "application/json" })
      .end(JSON.stringify(request.url === "/user" ? USER : emails));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const email = (address: string, primary: boolean, verified: boolean) => ({ email: address, primary, verified });

test.each([
  [
    "the primary one, verified",
    [email("old@example.com", false, true), email("rea@example.com", true, true)],
    200,
    "rea@example.com",
  ],
  [
    "a primary one that is not verified",
    [email("rea@example.com", true, false), email("old@example.com", false, true)],
    200,
    null,
  ],
  ["none", [], 200, null],
  ["an error", { message: "Resource not accessible" }, 403, null],
  ["something else than a list", { message: "?" }, 200, null],
] as [string, unknown, number, string | null][])(
  verifies("sign-in:provider:verified", "of GitHub's e-mails only a primary one that is verified counts; given %s"),
  async (_what, emails, status, expected) => {
    const { url, asked } = await startGitHub(emails, status);
    expect(await readGitHubProfile("gho_1", url)).toEqual({
      ...USER,
      email: expected,
      email_verified: expected !== null,
    });
    expect(asked.toSorted()).toEqual(["/user Bearer gho_1", "/user/emails Bearer gho_1"]);
  },
);
