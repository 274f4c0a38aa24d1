"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";

interface Props {
  word: string;
  isPending: boolean;
  /** What the button says. */
  action: string;
  onConfirm: (typed: string) => void;
  onCancel: () => void;
}

/** A critical call is approved by typing the value that matters, so that no key pressed by habit can do it. */
export function ConfirmForm({ word, isPending, action, onConfirm, onCancel }: Props) {
  const [typed, setTyped] = useState("");
  const [isTried, setTried] = useState(false);
  const fits = typed.trim() === word;
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(!fits);
        if (fits && !isPending) onConfirm(typed.trim());
      }}
    >
      <TextField
        id="confirm-word"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        label={`Type ${word} to approve`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={isTried && !fits ? `Type ${word}, exactly as it stands there. Nothing was sent.` : undefined}
        hint="This call is critical. Typing the value shows that it was read."
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button data-key="escape" onClick={onCancel}>
          Back
        </Button>
        <Button type="submit" variant="primary" aria-disabled={!fits || isPending || undefined}>
          {isPending ? "Recording…" : action}
        </Button>
      </div>
    </form>
  );
}
