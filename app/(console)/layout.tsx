import type { ReactNode } from "react";
import { DesktopNotices } from "@/components/shell/desktop-notices";
import type { DestinationName } from "@/components/shell/destinations";
import { KeepWaiting } from "@/components/shell/keep-waiting";
import { OfflineBanner } from "@/components/shell/offline-banner";
import { PaletteHost } from "@/components/shell/palette-host";
import { PauseBanner } from "@/components/shell/pause-banner";
import { PersonMenu } from "@/components/shell/person-menu";
import { PhoneBar } from "@/components/shell/phone-bar";
import { PressOnce } from "@/components/shell/press-once";
import { SideNav } from "@/components/shell/side-nav";
import { classNames } from "@/components/ui/class-names";
import { Toaster } from "@/components/ui/toast";
import { can, requireSession } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { countUntrustedTools } from "@/lib/tools/registry/list-registry";
import { runtime } from "@/lib/runs/runtime";
import { findPause } from "@/lib/runs/queries/find-pause";
import { countPending } from "@/lib/approvals/queries/inbox-counts";
import { currentTheme } from "../current-theme";
import { loadNeeds } from "./needs-of";
import { listPalettePages } from "./palette/pages";
import { savePreferences } from "./preferences";
import { signOutHere } from "./sign-out";
import { findCurrentProject } from "./workflows/current-project";

const DESTINATION_NAMES: readonly DestinationName[] = [
  "Inbox",
  "History",
  "Workflows",
  "Tools",
  "Clients",
  "Audit",
  "Insights",
  "Settings",
];

/** The signed-in frame. People who are not signed in never get past the first line. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  const { user } = session;
  const theme = await currentTheme();
  const person = { name: user.name, email: user.email, role: user.role, groups: user.groups };
  const destinations = DESTINATION_NAMES.filter((name) => name !== "Audit" || can(session, "audit:read"));
  const { db, now } = engineDeps();
  const at = now().toISOString();
  const seesApprovals = can(session, "approvals:read");
  const [waiting, needs, untrusted, pause] = await Promise.all([
    seesApprovals ? countPending(db) : 0,
    loadNeeds(session),
    can(session, "registry:read") && findCurrentProject() ? countUntrustedTools(runtime()) : 0,
    findPause(db),
  ]);
  return (
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] tablet:grid-cols-[76px_minmax(0,1fr)] wide:grid-cols-[208px_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-ink px-3.5 py-2 font-medium text-paper focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <SideNav
        destinations={destinations}
        waiting={waiting}
        needs={needs}
        untrusted={untrusted}
        foot={<PersonMenu person={person} theme={theme} save={savePreferences} signOut={signOutHere} />}
      />
      <main
        id="content"
        tabIndex={-1}
        className={classNames(
          "flex min-w-0 flex-col outline-none max-tablet:pb-[calc(env(safe-area-inset-bottom)+60px)]",
          pause
            ? "tablet:[--above:--spacing(10)] tablet:has-[>[data-offline]]:[--above:--spacing(20)]"
            : "tablet:has-[>[data-offline]]:[--above:--spacing(10)]",
        )}
      >
        <OfflineBanner />
        {pause ? (
          <PauseBanner
            since={pause.since.toISOString()}
            by={pause.by}
            endHref={can(session, "admin") ? "/settings/all-calls" : null}
          />
        ) : null}
        {children}
      </main>
      <PhoneBar
        destinations={destinations}
        waiting={waiting}
        needs={needs}
        untrusted={untrusted}
        person={person}
        theme={theme}
        save={savePreferences}
        signOut={signOutHere}
      />
      <Toaster />
      <PressOnce />
      <PaletteHost pages={listPalettePages(session, destinations)} save={savePreferences} />
      {seesApprovals ? <KeepWaiting counts={{ waiting, needs }} at={at} /> : null}
      <DesktopNotices isOn={session.preferences.notifications && can(session, "approvals:decide")} />
    </div>
  );
}
