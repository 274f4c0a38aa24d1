import type { Db } from "@/lib/store/client";
import type { ApprovalView } from "@/lib/store/queries/get-approval";
import { findFirstAdmin } from "@/lib/store/queries/get-person";
import { findDecider } from "@/lib/store/queries/list-deciders";

/** The option that makes `kimitsu approve` and `reject` act as somebody who may decide: empty for the first admin, null when nobody may. */
export async function suggestDecider(db: Db, approval: ApprovalView): Promise<string | null> {
  const email = await findDecider(db, approval, approval.decisions.map(({ user }) => user.id));
  if (email === null) return null;
  return (await findFirstAdmin(db))?.email === email ? "" : ` --user ${email}`;
}

/** Commands that will not be refused: whoever started a run may not decide its calls. */
export async function describeWays(db: Db, approval: ApprovalView): Promise<string> {
  const as = await suggestDecider(db, approval);
  return as === null ? NOBODY_CAN : `kimitsu approve ${approval.id}${as}   or   kimitsu reject ${approval.id} --reason "…"${as}`;
}

export const NOBODY_CAN = "nobody who is active may decide it; `kimitsu user create --email … --role reviewer` adds someone";
