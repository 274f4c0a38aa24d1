/**
 * The page is often refreshed before it learns why: a decided call has left it by then, and still needs its name for
 * the message.
 */
const KEPT_MS = 10_000;

/** The calls on a page by the names that people see, and those that have just left it. */
export class ShownNames {
  readonly #names = new Map<string, { name: string; until: number }>();

  show(names: Readonly<Record<string, string>>, now: number): void {
    for (const [id, { until }] of this.#names) if (until < now) this.#names.delete(id);
    for (const [id, shown] of this.#names)
      if (shown.until === Infinity) this.#names.set(id, { ...shown, until: now + KEPT_MS });
    for (const [id, name] of Object.entries(names)) this.#names.set(id, { name, until: Infinity });
  }

  find(id: string | null, now: number): string | undefined {
    const shown = id === null ? undefined : this.#names.get(id);
    return shown && shown.until >= now ? shown.name : undefined;
  }
}
