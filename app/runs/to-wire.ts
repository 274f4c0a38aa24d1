import type { z } from "zod";
import type { runEventSchema } from "@/lib/http/schemas/run-envelope";
import type { RunEvent } from "@/lib/runs/queries/list-run-events";

export const toRunEvent = ({ seq, id, type, at, actor, data }: RunEvent): z.input<typeof runEventSchema> => ({
  seq,
  event_id: id,
  type,
  at: at.toISOString(),
  actor,
  data,
});
