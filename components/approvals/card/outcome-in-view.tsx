"use client";

import { type ReactNode, useEffect, useRef } from "react";

/**
 * Read out when it comes, and brought to where it can be seen: whoever decided at the end of a long card should not
 * have to look for what became of it.
 */
export function OutcomeInView({ isThere, children }: { isThere: boolean; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const wasThere = useRef(isThere);
  useEffect(() => {
    if (isThere && !wasThere.current) void ref.current?.scrollIntoView({ block: "center" });
    wasThere.current = isThere;
  }, [isThere]);
  return (
    // There before there is anything to say: what comes together with its live region is not read out.
    <div ref={ref} aria-live="polite" className={isThere ? undefined : "sr-only"}>
      {children}
    </div>
  );
}
