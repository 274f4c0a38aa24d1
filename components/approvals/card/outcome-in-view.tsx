"use client";

import { type ReactNode, useEffect, useRef } from "react";

/**
 * Announced when it appears, and scrolled into view: a person who decided at the end of a long card should not have to
 * search for the result.
 */
export function OutcomeInView({ isThere, children }: { isThere: boolean; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const wasThere = useRef(isThere);
  useEffect(() => {
    if (isThere && !wasThere.current) void ref.current?.scrollIntoView({ block: "center" });
    wasThere.current = isThere;
  }, [isThere]);
  return (
    // Rendered before it has content: a live region that appears together with its text is not announced.
    <div ref={ref} aria-live="polite" className={isThere ? undefined : "sr-only"}>
      {children}
    </div>
  );
}
