import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Notice } from "@/components/ui/notice";
import { Seal } from "@/components/ui/seal";
import { buttonClass } from "@/components/ui/button";
import { enabledProviders } from "@/lib/people/session/providers";
import { findSession } from "@/lib/people/session/session";
import { signInWithProvider } from "./actions";
import { safeNextPath } from "./next-path";
import { describeProblem } from "./problem";
import { SignInForm } from "./sign-in-form";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: PageProps<"/sign-in">) {
  const { next, error, code, email, changed } = await searchParams;
  const nextPath = safeNextPath(next);
  if (await findSession()) redirect(nextPath);
  const providers = enabledProviders();
  const problemCode = [code, error].find((value) => typeof value === "string" && value !== "");
  const earlier =
    typeof problemCode === "string"
      ? describeProblem(problemCode, { email: typeof email === "string" ? email.slice(0, 254) : undefined })
      : null;
  return (
    <main className="grid min-h-dvh grid-rows-[1fr_auto] px-5">
      <div className="mx-auto grid w-full max-w-88 content-center gap-7 py-10">
        <div className="grid gap-3">
          <Seal className="size-10" />
          <div className="grid gap-1">
            <h1 className="text-xl font-semibold tracking-[-0.015em]">Kimitsu</h1>
            <p className="text-ink-2 text-pretty">
              Agents use tools; a person stands in front of every call that deserves one.
            </p>
          </div>
        </div>
        {changed === "password" && !earlier ? (
          <Notice tone="done" title="Password changed">
            <p>All your sessions ended. Sign in with the new password.</p>
          </Notice>
        ) : null}
        <SignInForm nextPath={nextPath} earlier={earlier} />
        {providers.length > 0 ? (
          <div className="grid gap-4">
            <div className="flex items-center gap-3 text-sm text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
              or
            </div>
            <form action={signInWithProvider} className="grid gap-2">
              <input type="hidden" name="next" value={nextPath} />
              {providers.map((provider) => (
                <button
                  key={provider.id}
                  type="submit"
                  name="provider"
                  value={provider.id}
                  className={buttonClass({}, "w-full max-tablet:h-11")}
                >
                  Continue with {provider.name}
                </button>
              ))}
            </form>
          </div>
        ) : null}
      </div>
      <footer className="flex flex-wrap justify-center gap-x-5 py-5 text-sm text-ink-3">
        <span>No account? An admin adds people under Settings.</span>
        <a href="/docs" className="underline decoration-line-strong underline-offset-3 hover:text-ink">
          API reference
        </a>
      </footer>
    </main>
  );
}
