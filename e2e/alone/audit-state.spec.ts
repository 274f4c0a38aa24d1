import { verifyAudit } from "@/lib/audit/verify-audit";
import { writeSetting } from "@/lib/database/write-setting";
import { expect, test } from "../fixtures";
import { AuditPage } from "../pages/audit-page";
import { verifies } from "../requirements";

const FAILED = {
  ok: false,
  verifiedAt: "2026-01-31T09:30:00.000Z",
  chains: 2,
  events: 40,
  anchors: 3,
  lastAnchorAt: "2026-01-31T09:29:58.000Z",
  findings: [
    { row: "system event 12 (evt_12)", problem: "its body does not fit its hash", at: "2026-01-30T08:00:00.000Z" },
  ],
  findingsTotal: 3,
};

test(
  verifies("audit:state", "the page says that the trail was verified and how much was read, or which row fails"),
  async ({ open, person, deps }) => {
    const audit = new AuditPage(await open(await person("operator")));
    const report = await verifyAudit(deps);
    await audit.open();
    await expect(audit.page.getByText(`${new Intl.NumberFormat("en").format(report.events)} events in`)).toContainText(
      "Verified up to",
    );

    await writeSetting(deps.db, { key: "audit.verification", value: FAILED }, new Date());
    await audit.open();
    const alert = audit.page.getByRole("alert").filter({ hasText: "Verification failed" });
    await expect(alert).toContainText("3 rows do not hold");
    await expect(alert).toContainText("system event 12 (evt_12) its body does not fit its hash");
    await verifyAudit(deps);
  },
);
