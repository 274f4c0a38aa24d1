import type { Metadata } from "next";
import { Section } from "@/components/ui/section";
import { SubmitButton } from "@/components/ui/submit-button";
import { requireSession } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { getPerson } from "@/lib/people/queries/get-person";
import { signOutHere } from "../sign-out";
import { NameForm } from "./name-form";
import { PasswordForm } from "./password-form";
import { ROLE_TEXT } from "./role-text";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const { user } = await requireSession();
  const person = await getPerson(engineDeps().db, user.id);
  const role = ROLE_TEXT[person.role];
  return (
    <div>
      <Section title="You" about="Your name is shown beside every decision you make.">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
          <dt className="text-ink-3">E-mail</dt>
          <dd className="wrap-anywhere">{person.email}</dd>
          <dt className="text-ink-3">Role</dt>
          <dd>
            {role.label} <span className="text-ink-3">· {role.may}</span>
          </dd>
          <dt className="text-ink-3">Groups</dt>
          <dd>{person.groups.length > 0 ? person.groups.join(", ") : <span className="text-ink-3">none</span>}</dd>
        </dl>
        <NameForm name={person.name} />
      </Section>
      <Section
        title={person.hasPassword ? "Password" : "Set a password"}
        about="A new password ends all your sessions, this one too; you sign in again with the new one. Your tokens stay."
      >
        <PasswordForm hasPassword={person.hasPassword} email={person.email} />
      </Section>
      <Section title="Sign out" about="Ends the session in this browser.">
        <form action={signOutHere}>
          <SubmitButton variant="plain" pendingText="Signing out…">
            Sign out
          </SubmitButton>
        </form>
      </Section>
    </div>
  );
}
