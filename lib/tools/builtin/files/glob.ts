/** Matches paths against `*`, `?` and `**`, in time that grows with the product of both lengths and no faster. */

/** `**` stands for any number of folders, `*` and `?` stay within a name. */
export function matchesGlob(pattern: readonly string[], parts: readonly string[]): boolean {
  // reach[i]: the parts so far can be matched by the first i of the pattern.
  let reach = closeOver(pattern, [true, ...pattern.map(() => false)]);
  for (const part of parts) {
    const next = [false, ...pattern.map((each, index) => reach[index]! && each !== "**" && matchesName(each, part))];
    for (const [index, each] of pattern.entries()) if (each === "**" && reach[index]) next[index] = true;
    reach = closeOver(pattern, next);
  }
  return reach[pattern.length]!;
}

/** `**` may stand for nothing. */
function closeOver(pattern: readonly string[], reach: boolean[]): boolean[] {
  for (const [index, each] of pattern.entries()) if (each === "**" && reach[index]) reach[index + 1] = true;
  return reach;
}

/** With one point to come back to, so that many stars do not multiply. */
export function matchesName(pattern: string, name: string): boolean {
  let [at, star, back] = [0, -1, 0];
  for (let index = 0; index < name.length;) {
    if (pattern[at] === "*") [star, back, at] = [at, index, at + 1];
    else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[index]))
      [at, index] = [at + 1, index + 1];
    else if (star >= 0) [at, back, index] = [star + 1, back + 1, back + 1];
    else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
