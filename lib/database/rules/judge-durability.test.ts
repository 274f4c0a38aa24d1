import { expect, test } from "vitest";
import { type Durability, listDurabilityWarnings } from "@/lib/database/rules/judge-durability";

const SOUND: Durability = { fsync: true, synchronousCommit: "on", synchronousStandbyNames: "", standbys: 0 };

test.each([
  ["a single server that waits for its disk", SOUND, []],
  [
    "standbys that are waited for",
    { ...SOUND, standbys: 2, synchronousStandbyNames: "ANY 1 (a, b)", synchronousCommit: "remote_apply" },
    [],
  ],
  ["standbys that nobody waits for", { ...SOUND, standbys: 1 }, ["standbys_asynchronous"]],
  ["a disk that nobody waits for", { ...SOUND, fsync: false }, ["fsync_off"]],
  ...["off", "local", "remote_write"].map(
    (synchronousCommit) =>
      [`synchronous_commit ${synchronousCommit}`, { ...SOUND, synchronousCommit }, ["synchronous_commit_low"]] as const,
  ),
] as [string, Durability, string[]][])("%s", (_, facts, codes) => {
  expect(listDurabilityWarnings(facts).map(({ code }) => code)).toEqual(codes);
});
