/**
 * How many of the chosen calls are not the only one of their kind; null when each is. `kinds` has, for each kind, how
 * many there are.
 */
export function describeAlike(kinds: readonly number[]): string | null {
  const repeated = kinds.filter((count) => count > 1);
  const alike = repeated.reduce((sum, count) => sum + count, 0);
  if (alike === 0) return null;
  const all = kinds.reduce((sum, count) => sum + count, 0);
  const who = alike === all ? `All ${alike}` : alike;
  if (repeated.length === 1) return `${who} of them are exactly alike: the same tool with the same arguments.`;
  return `${who} of them are ${repeated.length} calls, each asked for more than once: the same tool with the same arguments.`;
}
