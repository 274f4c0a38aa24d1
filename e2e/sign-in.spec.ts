import type { EngineDeps } from "@/lib/database/deps";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { SIGN_IN_ATTEMPTS_PER_ACCOUNT, SIGN_IN_WINDOW_MS } from "@/lib/limits";
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { throttleKey } from "@/lib/database/throttle-key";
import { TEST_PASSWORD } from "@/lib/testing/builders";
import { expect, required, test } from "./fixtures";
import { ConsolePage } from "./pages/console-page";
import { SignInPage } from "./pages/sign-in-page";
import { verifies } from "./requirements";
import { intercept } from "./intercept";

const REFUSED = "E-mail or password is not right";
const WRONG = "not the password at all";

/** As if strangers had guessed from many places; each real guess would cost a slow hash. */
async function useUpTries({ db, now }: EngineDeps, email: string): Promise<void> {
  await db.throttle.create({
    data: {
      key: throttleKey("sign-in:account", email),
      count: SIGN_IN_ATTEMPTS_PER_ACCOUNT,
      windowEndsAt: new Date(now().getTime() + SIGN_IN_WINDOW_MS),
    },
  });
}

test(
  verifies("sign-in:password", "the administrator made at the first start can sign in to the console"),
  async ({ open }) => {
    const page = await open(null);
    const signIn = new SignInPage(page);
    await page.goto("/");
    await expect(page).toHaveURL(/\/sign-in/);
    await signIn.signIn(required("E2E_ADMIN_EMAIL"), required("E2E_ADMIN_PASSWORD"));
    await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
  },
);

test(
  verifies(
    "sign-in:same-answer",
    "a wrong password and an unknown e-mail look the same, and the e-mail need not be typed again",
  ),
  async ({ open, person }) => {
    const someone = await person("viewer");
    const texts: string[] = [];
    for (const email of [someone.email, `nobody-${someone.email}`]) {
      const page = await open(null);
      const signIn = new SignInPage(page);
      await signIn.open();
      await signIn.signIn(email, WRONG);
      await signIn.expectRefusal(REFUSED);
      await expect(signIn.email).toHaveValue(email);
      await expect(signIn.password).toHaveValue("");
      texts.push(await signIn.problem.innerText());
    }
    expect(texts[0]).toBe(texts[1]);
  },
);

test(
  verifies("sign-in:rate-limit:account", "past the limit the page names the time to wait, even for the right password"),
  async ({ open, person, deps }) => {
    const someone = await person("viewer");
    await useUpTries(deps, someone.email);
    const signIn = new SignInPage(await open(null));
    await signIn.open();
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await signIn.expectRefusal(/Too many attempts.*Try again in 1[45] minutes/s);
  },
);

test(
  verifies(
    "sign-in:rate-limit:stranger",
    "a stranger's guesses do not lock a person out of a browser in which they have signed in before",
  ),
  async ({ open, person, deps }) => {
    const someone = await person("viewer");
    const page = await open(null);
    const signIn = new SignInPage(page);
    await signIn.open();
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
    const note = (await page.context().cookies()).find(({ name }) => name === "kimitsu-known-browser");
    expect(note).toMatchObject({ httpOnly: true, sameSite: "Lax" });
    await page.context().clearCookies({ name: "authjs.session-token" });
    await useUpTries(deps, someone.email);
    await signIn.open();
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
  },
);

test(
  verifies("sign-in:lost", "a lost answer is reported as one, and only the password has to be typed again"),
  async ({ open, person }) => {
    const someone = await person("viewer");
    const page = await open(null);
    const signIn = new SignInPage(page);
    await signIn.open("/history");
    await intercept(page, /\/sign-in/, (route) =>
      route.request().method() === "POST" ? route.abort("internetdisconnected") : route.continue(),
    );
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await signIn.expectRefusal(/No answer came.*nothing else was changed/s);
    await expect(signIn.email).toHaveValue(someone.email);
    await expect(signIn.password).toHaveValue("");
    await page.unroute(/\/sign-in/);
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await expect(new ConsolePage(page).heading("History")).toBeVisible();
  },
);

test(
  verifies("sign-in:disabled", "a disabled person learns that only with the right password"),
  async ({ open, person, deps }) => {
    const someone = await person("viewer");
    await setUserDisabled(deps, OPERATOR_ACTOR, { userId: someone.id, disabled: true });
    const signIn = new SignInPage(await open(null));
    await signIn.open();
    await signIn.signIn(someone.email, WRONG);
    await signIn.expectRefusal(REFUSED);
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await signIn.expectRefusal("This account is disabled");
  },
);

test(
  verifies("sign-in:next", "a person who asked for a page returns to it, query included"),
  async ({ open, person }) => {
    const someone = await person("operator");
    const page = await open(null);
    await page.goto("/audit?type=user");
    await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent("/audit?type=user")}`);
    await new SignInPage(page).signIn(someone.email, TEST_PASSWORD);
    await expect(page).toHaveURL("/audit?type=user");
    await expect(new ConsolePage(page).heading("Audit")).toBeVisible();
  },
);

for (const next of ["https://evil.example/", "//evil.example/inbox", "/\\evil.example", "javascript:alert(1)"]) {
  test(verifies("sign-in:next:stays", `sign-in never leads to ${next}`), async ({ open, person }) => {
    const someone = await person("viewer");
    const page = await open(null);
    const signIn = new SignInPage(page);
    await signIn.open(next);
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
    expect(new URL(page.url()).origin).toBe(required("BASE_URL"));
    // A signed-in person is redirected at once, by another path through the code.
    await signIn.open(next);
    await expect(page).toHaveURL("/inbox");
  });
}

test(
  verifies("sign-in:without-scripts", "sign-in, its refusal and the way back work with JavaScript off"),
  async ({ open, person }) => {
    const someone = await person("operator");
    const page = await open(null, { javaScriptEnabled: false });
    const signIn = new SignInPage(page);
    await signIn.open("/audit");
    await signIn.signIn(someone.email, WRONG);
    await expect(signIn.problem).toContainText(REFUSED);
    await signIn.signIn(someone.email, TEST_PASSWORD);
    await expect(page).toHaveURL("/audit");
    await expect(new ConsolePage(page).heading("Audit")).toBeVisible();
  },
);
