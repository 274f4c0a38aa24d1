import type { DestinationName } from "@/components/shell/destinations";
import { can, type Session } from "@/lib/people/session/session";

/** The pages that the palette offers this person, in the order of the navigation. */
export function listPalettePages(
  session: Session,
  destinations: readonly DestinationName[],
): { label: string; href: string }[] {
  const inAdmin = can(session, "admin")
    ? [
        { label: "Settings: People", href: "/settings/people" },
        { label: "Settings: Groups", href: "/settings/groups" },
        { label: "Settings: Pause all calls", href: "/settings/all-calls" },
      ]
    : [];
  return [
    ...destinations.map((name) => ({ label: name, href: `/${name.toLowerCase()}` })),
    ...(can(session, "approvals:decide") ? [{ label: "Inbox: what I may decide", href: "/inbox?mine=1" }] : []),
    { label: "Settings: Preferences", href: "/settings/preferences" },
    ...inAdmin,
    { label: "Settings: Tokens", href: "/settings/tokens" },
    { label: "API reference", href: "/docs" },
  ];
}
