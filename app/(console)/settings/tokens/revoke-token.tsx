"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { ConfirmForm } from "@/components/ui/confirm-form";
import { endToken } from "./actions";

export function RevokeToken({ id, name }: { id: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
      <ConfirmForm
        open={open}
        onClose={() => setOpen(false)}
        title={`Revoke ${name}?`}
        description="What uses it is refused from its next request on. A revoked token cannot be brought back."
        action={endToken}
        fields={{ tokenId: id }}
        confirm="Revoke"
        pendingText="Revoking…"
        danger
      />
    </>
  );
}
