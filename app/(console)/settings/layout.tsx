import type { ReactNode } from "react";
import { TabLinks } from "@/components/shell/tab-links";
import { PageBar } from "@/components/ui/page-bar";
import { can, requireSession } from "@/lib/people/session/session";

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  const isAdmin = can(session, "admin");
  const tabs = [
    { href: "/settings", label: "You" },
    { href: "/settings/preferences", label: "Preferences" },
    ...(isAdmin
      ? [
          { href: "/settings/people", label: "People" },
          { href: "/settings/groups", label: "Groups" },
          { href: "/settings/channels", label: "Channels" },
          { href: "/settings/all-calls", label: "Pause" },
        ]
      : []),
    { href: "/settings/tokens", label: "Tokens" },
  ];
  return (
    <>
      <PageBar title="Settings" />
      <TabLinks label="Settings" tabs={tabs} />
      {children}
    </>
  );
}
