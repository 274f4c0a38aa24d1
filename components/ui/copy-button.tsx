"use client";

import { useEffect, useState } from "react";
import { Check, Copy } from "lucide-react";
import { Button } from "./button";

const SHOWN_MS = 1_600;

interface Props {
  text: string;
  what: string;
  labelled?: boolean;
  /** Without its word, beside a short text that it belongs to. */
  small?: boolean;
}

/** Copies and confirms it. Where the browser refuses the clipboard, it says that instead. */
export function CopyButton({ text, what, labelled = false, small = false }: Props) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      setOutcome("refused");
    }
  }

  const word = outcome === "copied" ? "Copied" : outcome === "refused" ? "Select and copy by hand" : "Copy";
  return (
    <Button
      variant={labelled ? "plain" : "quiet"}
      size={small && outcome !== "refused" ? "icon" : "small"}
      onClick={copy}
      aria-label={outcome ? undefined : `Copy ${what}`}
    >
      {outcome === "copied" ? <Check aria-hidden /> : <Copy aria-hidden />}
      <span aria-live="polite" className={small && outcome !== "refused" ? "sr-only" : undefined}>
        {word}
      </span>
    </Button>
  );
}
