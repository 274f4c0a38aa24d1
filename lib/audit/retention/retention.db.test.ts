/** What is past its retention time is removed, the trail says so, and the rest still verifies. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { listEvents } from "@/lib/audit/queries/list-events";
import { missingRun } from "@/lib/audit/queries/missing-run";
import { addJournalMonths, listPartitions } from "@/lib/audit/retention/partitions";
import { applyRetention } from "@/lib/audit/retention/retention-task";
import { checkSeal, SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { writeAnchor } from "@/lib/audit/transitions/write-anchor";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { auditKeys } from "@/lib/database/audit-keys";
import { projectChain } from "@/lib/testing/project-all";
import { buildUser } from "@/lib/testing/builders";
import { testDeps } from "@/lib/testing/deps";
import { startJournalRun } from "@/lib/testing/journal-run";
import { type PrivatePostgres, startPrivatePostgres } from "@/lib/testing/private-postgres";

const DAY_MS = 86_400_000;
const folder = mkdtempSync(path.join(os.tmpdir(), "kimitsu-archive-"));
/** A server of its own, because an anchor waits for transactions of all databases on it. */
let database: PrivatePostgres;
beforeAll(async () => void (database = await startPrivatePostgres()), 60_000);
afterAll(async () => {
  await database?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Time advances from test to test, so that each has its own months. */
let time = new Date("2026-01-10T09:00:00.000Z");
const deps = () => ({ ...testDeps(database), now: () => time });
const goTo = (at: string) => void (time = new Date(at));

async function endedRun(isAcross?: () => void) {
  const run = await startJournalRun(deps());
  const { callId, approvalId } = await run.ask();
  isAcross?.();
  await run.decide(approvalId, (await buildUser(deps(), "reviewer")).actor);
  await run.finish(callId);
  return run.id;
}

async function project(): Promise<void> {
  const chains = await database.db.journal.findMany({ distinct: ["runId"], select: { runId: true } });
  for (const { runId } of chains) await projectChain(database.db, runId);
}

const findings = async () =>
  (await verifyAudit(deps(), { archive: folder })).findings.map(({ row, problem }) => `${row}: ${problem}`);

describe("retention", () => {
  let ended: string;
  let across: string;
  let open: string;
  const retention = { runs: 60 * DAY_MS, audit: 90 * DAY_MS };
  const apply = (kept?: { runs?: number; audit?: number }) =>
    applyRetention({ ...deps(), folder, retention: () => kept });

  beforeAll(async () => {
    goTo("2026-07-10T09:00:00.000Z");
    await addJournalMonths(database.db, time);
    goTo("2026-07-20T09:00:00.000Z");
    ended = await endedRun();
    await writeAnchor(database.db, time);
    goTo("2026-07-31T23:59:58.000Z");
    across = await endedRun(() => goTo("2026-08-01T00:00:01.000Z"));
    open = (await startJournalRun(deps())).id;
    await writeAnchor(database.db, time);
    goTo("2026-08-20T09:00:00.000Z");
    await buildUser(deps(), "viewer");
    await writeAnchor(database.db, time);
    await project();
  });

  test("without a rule everything is kept", async () => {
    goTo("2030-01-01T00:00:00.000Z");
    await apply();
    expect(await database.db.run.count({ where: { id: { in: [ended, across, open] } } })).toBe(3);
    expect(await findings()).toEqual([]);
  });

  test(
    verifies(
      "audit:retention",
      "an ended run past its retention time loses its rows, its journal stays, and the trail says so",
    ),
    async () => {
      goTo("2026-10-10T00:00:00.000Z");
      await apply({ runs: retention.runs });
      expect(
        (await database.db.run.findMany({ where: { id: { in: [ended, across, open] } } })).map(({ id }) => id),
      ).toEqual([open]);
      for (const table of ["approvals", "run_search", "steps"]) {
        const rows = await database.db.$queryRawUnsafe<unknown[]>(`SELECT 1 FROM ${table} WHERE run_id = '${ended}'`);
        expect(rows, table).toEqual([]);
      }
      expect((await listEvents(database.db, { chainId: ended })).items.map(({ type }) => type)).toContain(
        "run.completed",
      );
      expect((await missingRun(database.db, ended)).message).toMatch(
        /ended on 2026-07-20 and was removed .* events are on the audit trail/,
      );
      expect((await missingRun(database.db, "run_none")).message).toBe("There is no run run_none.");
      const [told] = (await listEvents(database.db, { type: "run.records_removed" })).items;
      expect(told?.data).toEqual({ before: "2026-08-11T00:00:00.000Z", runs: 2 });
      expect(await findings()).toEqual([]);
      await apply({ runs: retention.runs });
      expect((await listEvents(database.db, { type: "run.records_removed" })).items).toHaveLength(1);
    },
  );

  test("a month is kept while one of its runs still has its row", async () => {
    goTo("2026-12-20T00:00:00.000Z");
    await apply(retention);
    expect(await listPartitions(database.db)).toContain("journal_2026_08");
  });

  test(
    verifies(
      "audit:retention",
      "a month that is over is in a signed file instead of the journal, and the rest verifies by its sealed digest",
    ),
    async () => {
      expect(await listPartitions(database.db)).not.toContain("journal_2026_07");
      const [told] = (await listEvents(database.db, { type: "audit.partition_detached" })).items.filter(
        ({ data: { partition } }) => partition === "journal_2026_07",
      );
      const lines = readFileSync(path.join(folder, "journal-2026-07.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(told?.data).toMatchObject({
        file: "journal-2026-07.jsonl",
        rows: lines.filter((line) => line.row).length,
      });
      const { digest, mac } = lines.at(-1)!.seal as { digest: string; mac: string };
      expect(checkSeal(digest, mac, auditKeys())).toBe("good");
      expect(lines.filter((line) => line.anchor).length).toBeGreaterThan(1);
      expect(await database.db.journal.count({ where: { runId: ended } })).toBe(0);
      expect((await listEvents(database.db, { chainId: ended })).items).toEqual([]);
      expect(await database.db.journal.count({ where: { runId: across } })).toBeGreaterThan(0);
      expect(await findings()).toEqual([]);
    },
  );

  test(
    verifies("audit:retention", "rows missing beyond what was detached are named, and so is a file that was changed"),
    async () => {
      const tamper = async (work: string) => {
        await database.db.$executeRawUnsafe("GRANT ALL ON journal, journal_2026_08 TO CURRENT_USER");
        await database.db.$executeRawUnsafe("ALTER TABLE journal_2026_08 DISABLE TRIGGER USER");
        await database.db.$executeRawUnsafe(work);
      };
      appendFileSync(path.join(folder, "journal-2026-07.jsonl"), "\n");
      expect(await findings()).toEqual([
        expect.stringMatching(/^archive journal-2026-07\.jsonl: its content was changed/),
      ]);
      const [first] = await database.db.journal.findMany({
        where: { runId: across },
        orderBy: { seq: "asc" },
        take: 1,
      });
      await tamper(`DELETE FROM journal_2026_08 WHERE run_id = '${across}' AND seq = ${first!.seq}`);
      expect(await findings()).toContain(`${across} row ${first!.seq + 1}: row ${first!.seq} is missing before it`);
      await tamper(`DELETE FROM journal_2026_08 WHERE run_id = '${SYSTEM_CHAIN}'`);
      expect((await findings()).join("\n")).toMatch(/^system row \d+: rows? .* missing before it$/m);
    },
  );
});
