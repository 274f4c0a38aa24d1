/** The demo shop's books: read from and written to one JSON file, or kept in memory when there is none. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { initialShopState, shopStateSchema, type ShopState } from "./shop-data";

export interface ShopStore {
  read(): Readonly<ShopState>;
  /**
   * Changes a copy and keeps it only when `change` returns and the file is written: an error leaves everything as it
   * was.
   */
  update<T>(change: (state: ShopState) => T): T;
}

/** Throws when the file exists but is not a shop's: overwriting it would destroy what someone put there. */
export function openShopStore(file: string | undefined): ShopStore {
  let state = file !== undefined && existsSync(file) ? readState(file) : initialShopState();
  return {
    read: () => state,
    update: (change) => {
      const next = structuredClone(state);
      const answer = change(next);
      if (file !== undefined) writeState(file, next);
      state = next;
      return answer;
    },
  };
}

function readState(file: string): ShopState {
  try {
    return shopStateSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new Error(`${file} does not hold the demo shop's state. Move it away to start with a fresh shop.`, { cause });
  }
}

/** The rename is atomic, so a reader (or the next start) finds the old state or the new one, never half of it. */
function writeState(file: string, state: ShopState): void {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, file);
}
