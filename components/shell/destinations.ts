import { ChartColumn, History, Inbox, Plug, Settings, ShieldCheck, Workflow, Wrench } from "lucide-react";

const DESTINATIONS = [
  { href: "/inbox", label: "Inbox", icon: Inbox, onPhone: true },
  { href: "/history", label: "History", icon: History, onPhone: true },
  { href: "/workflows", label: "Workflows", icon: Workflow, onPhone: true },
  { href: "/tools", label: "Tools", icon: Wrench, onPhone: true },
  // On a phone the rest is behind "More".
  { href: "/clients", label: "Clients", icon: Plug, onPhone: false },
  { href: "/audit", label: "Audit", icon: ShieldCheck, onPhone: false },
  { href: "/insights", label: "Insights", icon: ChartColumn, onPhone: false },
  { href: "/settings", label: "Settings", icon: Settings, onPhone: false },
] as const;

export type DestinationName = (typeof DESTINATIONS)[number]["label"];

/** Those that this person may open, in the order of the navigation. */
export function listDestinations(names: readonly DestinationName[]) {
  return DESTINATIONS.filter(({ label }) => names.includes(label));
}

/** A page belongs to the destination it lies under: /history/run_1 is in History, /historyx is not. */
export function isWithin(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}
