import { INSIGHTS_DAYS_MAX } from "@/lib/limits";

/** The longest span that is read, in days. */
export const SPAN_DAYS_MAX = INSIGHTS_DAYS_MAX;

/** The time span of the figures: its first moment, and the first one after it. */
export interface Span {
  from: Date;
  to: Date;
}
