import { ChartColumn, History, Inbox, Settings, ShieldCheck, Workflow, Wrench, type LucideIcon } from "lucide-react";

export interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** In the bar at the foot of a phone; the others are behind "More". */
  onPhone: boolean;
}

export const DESTINATIONS: readonly Destination[] = [
  { href: "/inbox", label: "Inbox", icon: Inbox, onPhone: true },
  { href: "/history", label: "History", icon: History, onPhone: true },
  { href: "/workflows", label: "Workflows", icon: Workflow, onPhone: true },
  { href: "/tools", label: "Tools", icon: Wrench, onPhone: true },
  { href: "/audit", label: "Audit", icon: ShieldCheck, onPhone: false },
  { href: "/insights", label: "Insights", icon: ChartColumn, onPhone: false },
  { href: "/settings", label: "Settings", icon: Settings, onPhone: false },
];

/** A page belongs to the destination it lies under: /history/run_1 is in History, /historyx is not. */
export function isWithin(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}
