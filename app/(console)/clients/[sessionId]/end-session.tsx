"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { ConfirmForm } from "@/components/ui/confirm-form";
import { endToken } from "../../settings/tokens/actions";

/** A session lives as long as its token: ending it for good is revoking that. */
export function EndSession({ tokenId, name }: { tokenId: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Revoke its token</Button>
      <ConfirmForm
        open={open}
        onClose={() => setOpen(false)}
        title={`Revoke ${name}?`}
        description="This session ends, and every other session with the same token: the client is refused from its next request on. Calls that wait for a person keep waiting. A revoked token cannot be brought back."
        action={endToken}
        fields={{ tokenId }}
        confirm="Revoke"
        pendingText="Revoking…"
        danger
      />
    </>
  );
}
