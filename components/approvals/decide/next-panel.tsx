"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { buttonClass, stillClass } from "@/components/ui/button";
import { useStill } from "@/components/ui/use-still";
import { classNames } from "@/components/ui/class-names";
import { KeyHint } from "@/components/approvals/queue/key-hint";
import { moveInQueue } from "@/components/approvals/queue/queue-place";

/** At the foot of a card with nothing to decide: a link to the call that took its place. */
export function NextPanel({ nextHref, isDecided }: { nextHref: string; isDecided: boolean }) {
  const { push } = useRouter();
  // It appears where Approve was: the second of two presses must do nothing.
  const isStill = useStill("next");
  const goOn = (event: { preventDefault: () => void }) => {
    if (!isStill || moveInQueue(1, push)) event.preventDefault();
  };
  return (
    <div className="flex items-center gap-3 border-t border-line bg-paper px-4 pt-3 pb-[calc(env(safe-area-inset-bottom)+14px)] tablet:px-(--card-edge)">
      <span className="text-sm text-ink-2">{isDecided ? "Nothing is left to decide here." : "It keeps waiting."}</span>
      <Link
        href={nextHref}
        prefetch={false}
        aria-disabled={!isStill || undefined}
        onNavigate={goOn}
        className={buttonClass({}, classNames("ml-auto hover:bg-sunken", stillClass))}
      >
        Next <KeyHint letter="J" />
      </Link>
    </div>
  );
}
