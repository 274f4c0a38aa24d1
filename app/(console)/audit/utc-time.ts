/** "2026-03-01 09:30:11": one form for everyone, wherever they read it; the page says that it is UTC. */
export function utcTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace("T", " ");
}
