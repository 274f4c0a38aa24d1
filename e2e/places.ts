import type { Role } from "@/lib/people/rules/roles";

const EVERYONE: Role[] = ["viewer", "reviewer", "operator", "admin"];

/** Every page of the console, the name it has in its navigation, and who may open it. */
export const PLACES: { path: string; title: string; name: string; nav?: string; tab?: string; roles: Role[] }[] = [
  { path: "/inbox", title: "Inbox", name: "inbox", nav: "Inbox", roles: EVERYONE },
  { path: "/history", title: "History", name: "history", nav: "History", roles: EVERYONE },
  { path: "/workflows", title: "Workflows", name: "workflows", nav: "Workflows", roles: EVERYONE },
  { path: "/tools", title: "Tools", name: "tools", nav: "Tools", roles: EVERYONE },
  { path: "/clients", title: "Clients", name: "clients", nav: "Clients", roles: EVERYONE },
  { path: "/audit", title: "Audit", name: "audit", nav: "Audit", roles: ["operator", "admin"] },
  { path: "/insights", title: "Insights", name: "insights", nav: "Insights", roles: EVERYONE },
  { path: "/settings", title: "Settings", name: "settings", nav: "Settings", tab: "You", roles: EVERYONE },
  { path: "/settings/preferences", title: "Settings", name: "preferences", tab: "Preferences", roles: EVERYONE },
  { path: "/settings/people", title: "Settings", name: "people", tab: "People", roles: ["admin"] },
  { path: "/settings/groups", title: "Settings", name: "groups", tab: "Groups", roles: ["admin"] },
  { path: "/settings/channels", title: "Settings", name: "channels", tab: "Channels", roles: ["admin"] },
  { path: "/settings/all-calls", title: "Settings", name: "all-calls", tab: "Pause", roles: ["admin"] },
  { path: "/settings/tokens", title: "Settings", name: "tokens", tab: "Tokens", roles: EVERYONE },
];

/** Pages that need no sign-in, and one that does not exist. */
export const PUBLIC_PLACES = [
  { path: "/sign-in", title: "Kimitsu", name: "sign-in" },
  { path: "/docs", title: "API reference", name: "docs" },
  { path: "/no-such-page", title: "There is no such page", name: "not-found" },
];
