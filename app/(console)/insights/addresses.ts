import { addressWith } from "../search-params";

interface Stretch {
  from: Date;
  to: Date;
}

const times = ({ from, to }: Stretch) => ({ from: from.toISOString(), to: to.toISOString() });

export const linkClass = "underline decoration-line-strong underline-offset-3 hover:decoration-ink";

export function auditHref(stretch: Stretch, filter: { type: string; actor?: string }): string {
  return addressWith("/audit", { ...filter, ...times(stretch) });
}

export function historyHref(stretch: Stretch, filter: { workflow?: string; status?: string }): string {
  return addressWith("/history", { ...filter, ...times(stretch) });
}

export function toolHref({ server, tool }: { server: string; tool: string }): string {
  return `/tools/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`;
}
