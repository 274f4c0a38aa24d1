import type { EngineDeps } from "@/lib/database/deps";
import type { TestDatabase } from "@/lib/testing/database";

/** A clock that does not move until the test moves it. */
export class TestClock {
  constructor(private time = new Date("2026-01-01T10:00:00.000Z")) {}
  now = (): Date => new Date(this.time);
  advance(ms: number): void {
    this.time = new Date(this.time.getTime() + ms);
  }
}

export function testDeps(database: TestDatabase, clock = new TestClock()): EngineDeps {
  return { db: database.db, now: clock.now };
}
