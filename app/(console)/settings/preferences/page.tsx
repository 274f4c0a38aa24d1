import type { Metadata } from "next";
import { ThemePicker } from "@/components/theme/theme-picker";
import { Section } from "@/components/ui/section";
import { currentTheme } from "@/app/current-theme";
import { can, requireSession } from "@/lib/people/session/session";
import { savePreferences } from "../../preferences";
import { KeysSwitch } from "./keys-switch";
import { findCurrentProject } from "../../workflows/current-project";
import { LandingSelect } from "./landing-select";
import { NoticesSwitch } from "./notices-switch";

export const metadata: Metadata = { title: "Preferences" };

export default async function PreferencesPage() {
  const session = await requireSession();
  const { preferences } = session;
  const channels = findCurrentProject()?.policy?.channels ?? [];
  const hasChannel = channels.some(({ type }) => type === "browser");
  return (
    <div>
      <Section title="Theme" about="Holds in every browser you sign in with.">
        <ThemePicker initial={await currentTheme()} label="Theme" save={savePreferences} />
      </Section>
      <Section title="First page" about="What opens after you sign in, and behind the bare address.">
        <LandingSelect initial={preferences.landing} save={savePreferences} />
      </Section>
      <Section title="Keyboard" about="The inbox can be worked off with single keys; ? lists them there.">
        <KeysSwitch initial={preferences.keys} save={savePreferences} />
      </Section>
      {can(session, "approvals:decide") ? (
        <Section
          title="Notifications"
          about={hasChannel ? "Which events are told is set in policy.yaml, under channels." : undefined}
        >
          {hasChannel ? (
            <NoticesSwitch initial={preferences.notifications} save={savePreferences} />
          ) : (
            <p className="text-ink-2">
              This project tells nobody on the desktop: <code>policy.yaml</code> has no channel of type{" "}
              <code>browser</code>.
            </p>
          )}
        </Section>
      ) : null}
    </div>
  );
}
