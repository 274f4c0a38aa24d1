/**
 * The events of a journal row, read one after the other by the changes that they belong to: what the sealed body of a
 * row says is not repeated in its data. Pure.
 */
import type { Actor } from "@/lib/people/rules/actor";

/** As it is on the trail. */
export interface RowEvent {
  type: string;
  actor: Actor;
  data: { readonly [name: string]: unknown };
}

export class RowEvents {
  #place = 0;
  #events: readonly RowEvent[] | null = null;

  /** Asked at the first use: many rows need no event. */
  constructor(private readonly read: () => readonly RowEvent[]) {}

  /**
   * The next event of one of these types. Only for types that one kind of change alone has, and each of its changes
   * exactly once.
   */
  take(...types: readonly string[]): RowEvent | null {
    const place = this.#all().findIndex(({ type }, index) => index >= this.#place && types.includes(type));
    if (place === -1) return null;
    this.#place = place;
    return this.next();
  }

  /** The event after the last one. */
  next(): RowEvent | null {
    return this.#all()[this.#place++] ?? null;
  }

  #all(): readonly RowEvent[] {
    return (this.#events ??= this.read());
  }
}
