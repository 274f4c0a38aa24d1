import { KimitsuError } from "@/lib/errors";
import { RecordChanged } from "@/lib/runs/journal/fold";

/** Reports a run whose record was changed as a refusal, not as a fault. `end` says what was not done. */
export async function refuseChangedRecord<T>(work: () => Promise<T>, end = ""): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RecordChanged)) throw error;
    throw new KimitsuError("conflict", `${error.message} ${VERIFY}${end}`, { cause: error });
  }
}

const VERIFY = "`kimitsu audit verify` names what differs.";
