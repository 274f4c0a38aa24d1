const list = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** "Ana", "Ana and Ben", "Ana, Ben and Cem": all of them, in the order given. */
export const joinNames = (names: readonly string[]): string => list.format(names);
