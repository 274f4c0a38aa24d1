import { Notice } from "./notice";

/** A smaller delay is not noticeable. */
const BEHIND_MS_MIN = 1_000;

/** Says how far figures are behind what happened, when that is more than a moment. */
export function BehindNotice({ behindMs }: { behindMs: number }) {
  if (behindMs <= BEHIND_MS_MIN) return null;
  const seconds = Math.floor(behindMs / 1000);
  const behind = seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  return (
    <Notice tone="note" title={`These figures are ${behind} behind.`} className="mx-4 my-3 tablet:mx-6">
      What happened since is being added; it is on the pages of the runs already.
    </Notice>
  );
}
