import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import {
  SIGN_IN_ATTEMPTS_PER_ACCOUNT,
  SIGN_IN_ATTEMPTS_PER_ADDRESS,
  SIGN_IN_ATTEMPTS_PER_BROWSER,
  SIGN_IN_ATTEMPTS_PER_PAIR,
  SIGN_IN_WINDOW_MS,
} from "@/lib/limits";
import { setPassword } from "@/lib/people/set-password";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { signInWithPassword } from "@/lib/people/sign-in-with-password";
import { signInWithProvider } from "@/lib/people/sign-in-with-provider";
import { throttleKey } from "@/lib/database/throttle-key";
import { listEvents } from "@/lib/audit/queries/list-events";
import { buildUser, TEST_PASSWORD } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { TestClock, testDeps } from "@/lib/testing/deps";

const database = useDatabase();
const deps = () => testDeps(database);
let addresses = 0;
const newAddress = () => `198.51.100.${addresses++}`;

test(
  verifies("sign-in:password", "the right password gives the person, and the sign-in is on the trail with its address"),
  async () => {
    const user = await buildUser(deps(), "viewer");
    const address = newAddress();
    const answer = await signInWithPassword(deps(), {
      email: ` ${user.email.toUpperCase()} `,
      password: TEST_PASSWORD,
      address,
    });
    expect(answer).toEqual({ userId: user.id, sessionVersion: 0 });
    const [event] = (await listEvents(database.db, { type: "user.signed_in", actor: user.id })).items;
    expect(event?.body).toMatchObject({ actor: { address }, data: { provider: "password" } });
  },
);

test(verifies("sign-in:same-answer", "unknown e-mail and wrong password give the same answer"), async () => {
  const user = await buildUser(deps(), "viewer");
  const wrong = await signInWithPassword(deps(), {
    email: user.email,
    password: "wrong wrong wrong",
    address: newAddress(),
  });
  const unknown = await signInWithPassword(deps(), {
    email: "nobody@example.org",
    password: "wrong wrong wrong",
    address: newAddress(),
  });
  expect([wrong, unknown]).toEqual([{ refused: "credentials" }, { refused: "credentials" }]);
});

test(
  verifies("sign-in:disabled", "only someone who knows the password learns that an account is disabled"),
  async () => {
    const admin = await buildUser(deps(), "admin");
    const user = await buildUser(deps(), "viewer");
    await setUserDisabled(deps(), admin.actor, { userId: user.id, disabled: true });
    const tryWith = (password: string) =>
      signInWithPassword(deps(), { email: user.email, password, address: newAddress() });
    expect(await tryWith("wrong wrong wrong")).toEqual({ refused: "credentials" });
    expect(await tryWith(TEST_PASSWORD)).toEqual({ refused: "disabled" });
  },
);

test(
  verifies(
    "sign-in:rate-limit:account",
    "guesses at one account are refused past the limit, from any address, in parallel or not, until the window ends",
  ),
  async () => {
    const clock = new TestClock();
    const user = await buildUser(deps(), "viewer");
    const guess = (password: string) =>
      signInWithPassword(testDeps(database, clock), { email: user.email, password, address: newAddress() });
    const answers = await Promise.all(
      Array.from({ length: SIGN_IN_ATTEMPTS_PER_ACCOUNT + 5 }, () => guess("wrong wrong wrong")),
    );
    expect(answers.filter((answer) => "refused" in answer && answer.refused === "credentials")).toHaveLength(
      SIGN_IN_ATTEMPTS_PER_ACCOUNT,
    );
    expect(await guess(TEST_PASSWORD)).toEqual({ refused: "rate_limited", retryAfterS: SIGN_IN_WINDOW_MS / 1000 });
    clock.advance(SIGN_IN_WINDOW_MS);
    expect(await guess(TEST_PASSWORD)).toMatchObject({ userId: user.id });
  },
);

test(
  verifies(
    "sign-in:rate-limit:stranger",
    "one IPv6 network uses up only its own attempts, and the person can still sign in from elsewhere",
  ),
  async () => {
    const user = await buildUser(deps(), "admin");
    const attempt = (password: string, address: string) =>
      signInWithPassword(deps(), { email: user.email, password, address });
    const network = `2001:db8:${(addresses++).toString(16)}:7`;
    for (let n = 0; n < SIGN_IN_ATTEMPTS_PER_PAIR; n++)
      expect(await attempt("wrong wrong wrong", `${network}::${n}`)).toEqual({ refused: "credentials" });
    expect(await attempt(TEST_PASSWORD, `${network}::ffff`)).toMatchObject({ refused: "rate_limited" });
    expect(await attempt(TEST_PASSWORD, newAddress())).toMatchObject({ userId: user.id });
  },
);

test(
  verifies(
    "sign-in:rate-limit:stranger",
    "a browser known for this person has its own limit; an unknown one, or one known for someone else, has not",
  ),
  async () => {
    const clock = new TestClock();
    const [user, other] = [await buildUser(deps(), "admin"), await buildUser(deps(), "viewer")];
    const address = newAddress();
    const full = new Date(clock.now().getTime() + SIGN_IN_WINDOW_MS);
    await database.db.throttle.createMany({
      data: [
        { key: throttleKey("sign-in:account", user.email), count: SIGN_IN_ATTEMPTS_PER_ACCOUNT, windowEndsAt: full },
        { key: `sign-in:address:${address}`, count: SIGN_IN_ATTEMPTS_PER_ADDRESS, windowEndsAt: full },
      ],
    });
    const attempt = (password: string, browser: { id: string; userId: string } | null) =>
      signInWithPassword(testDeps(database, clock), { email: user.email, password, address, browser });
    const own = { id: "browser-own", userId: user.id };
    expect(await attempt(TEST_PASSWORD, null)).toMatchObject({ refused: "rate_limited" });
    expect(await attempt(TEST_PASSWORD, { id: "browser-other", userId: other.id })).toMatchObject({
      refused: "rate_limited",
    });
    expect(await attempt(TEST_PASSWORD, own)).toMatchObject({ userId: user.id });
    for (let n = 0; n < SIGN_IN_ATTEMPTS_PER_BROWSER; n++)
      expect(await attempt("wrong wrong wrong", own)).toEqual({ refused: "credentials" });
    expect(await attempt(TEST_PASSWORD, own)).toMatchObject({ refused: "rate_limited" });
    expect(await attempt(TEST_PASSWORD, null)).toMatchObject({ refused: "rate_limited" });
  },
);

test("the current password cannot be guessed either, with a session that was left open", async () => {
  const clock = new TestClock();
  const user = await buildUser(deps(), "viewer");
  const change = (currentPassword: string) =>
    setPassword(testDeps(database, clock), user.actor, {
      userId: user.id,
      password: "a new lantern 77 boat",
      currentPassword,
    });
  for (let n = 0; n < SIGN_IN_ATTEMPTS_PER_BROWSER; n++)
    await expect(change("wrong wrong wrong")).rejects.toThrow(/not right/);
  await expect(change(TEST_PASSWORD)).rejects.toMatchObject({ code: "rate_limited" });
  clock.advance(SIGN_IN_WINDOW_MS);
  await change(TEST_PASSWORD);
});

test(
  verifies("sign-in:rate-limit:address", "guesses from one address at many accounts are refused past the limit"),
  async () => {
    const address = newAddress();
    const limit = {
      key: `sign-in:address:${address}`,
      count: SIGN_IN_ATTEMPTS_PER_ADDRESS,
      windowEndsAt: new Date(deps().now().getTime() + 60_000),
    };
    await database.db.throttle.create({ data: limit });
    const user = await buildUser(deps(), "viewer");
    expect(await signInWithPassword(deps(), { email: user.email, password: TEST_PASSWORD, address })).toEqual({
      refused: "rate_limited",
      retryAfterS: 60,
    });
  },
);

test(verifies("sign-in:rate-limit:forgiven", "a success resets the failures before it"), async () => {
  const user = await buildUser(deps(), "viewer");
  const address = newAddress();
  const attempt = (password: string) => signInWithPassword(deps(), { email: user.email, password, address });
  for (let n = 0; n < SIGN_IN_ATTEMPTS_PER_PAIR - 1; n++) await attempt("wrong wrong wrong");
  expect(await attempt(TEST_PASSWORD)).toMatchObject({ userId: user.id });
  expect(await attempt("wrong wrong wrong")).toEqual({ refused: "credentials" });
});

test("what was typed as an e-mail is not stored: it may be the password, in the wrong field", async () => {
  await signInWithPassword(deps(), {
    email: "My Secret Password 77",
    password: "wrong wrong wrong",
    address: newAddress(),
  });
  const keys = (await database.db.throttle.findMany()).map(({ key }) => key);
  expect(keys.some((key) => key.startsWith("sign-in:account:"))).toBe(true);
  expect(keys.join("\n").toLowerCase()).not.toContain("secret password");
});

const claim = { provider: "github", accountId: "77", emailVerified: true, name: "Ana" };

test("a provider's account is linked to the person with the same verified e-mail, and found by its id from then on", async () => {
  const user = await buildUser(deps(), "reviewer");
  expect(
    await signInWithProvider(deps(), { ...claim, accountId: user.id, email: user.email.toUpperCase() }),
  ).toMatchObject({ userId: user.id });
  expect(
    await signInWithProvider(deps(), { ...claim, accountId: user.id, email: "changed@example.org" }),
  ).toMatchObject({ userId: user.id });
});

test(
  verifies("sign-in:provider:verified", "an e-mail that the provider has not verified signs nobody in"),
  async () => {
    const user = await buildUser(deps(), "admin");
    expect(await signInWithProvider(deps(), { ...claim, email: user.email, emailVerified: false })).toEqual({
      refused: "email_unverified",
    });
  },
);

test(
  verifies(
    "sign-in:provider:stranger",
    "an unknown person from a public provider is refused; one from the own issuer becomes a viewer",
  ),
  async () => {
    const stranger = { ...claim, accountId: "new", email: "stranger@example.org" };
    expect(await signInWithProvider(deps(), stranger)).toEqual({ refused: "not_invited" });
    expect(await database.db.user.findUnique({ where: { email: stranger.email } })).toBeNull();
    expect(await signInWithProvider(deps(), { ...stranger, provider: "oidc" })).toMatchObject({ sessionVersion: 0 });
    expect(await database.db.user.findUnique({ where: { email: stranger.email } })).toMatchObject({
      role: "viewer",
      passwordHash: null,
    });
  },
);

test(verifies("sign-in:disabled", "a disabled person cannot sign in through a provider either"), async () => {
  const admin = await buildUser(deps(), "admin");
  const user = await buildUser(deps(), "viewer");
  await setUserDisabled(deps(), admin.actor, { userId: user.id, disabled: true });
  expect(await signInWithProvider(deps(), { ...claim, accountId: user.id, email: user.email })).toEqual({
    refused: "disabled",
  });
});
