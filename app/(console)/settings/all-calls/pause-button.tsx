"use client";

import { ActionDialog } from "@/components/runs/action-dialog";
import { changePause } from "./actions";

export function PauseButton({ isPaused }: { isPaused: boolean }) {
  return isPaused ? (
    <ActionDialog
      key="resume"
      button="Let calls go…"
      look={{ variant: "primary" }}
      title="Let calls go again?"
      description="Everything that was approved meanwhile is sent now, each call once."
      action={changePause}
      sent={{ paused: "no" }}
      confirm="Let calls go"
      pendingText="Letting go…"
    />
  ) : (
    <ActionDialog
      key="pause"
      button="Pause all calls…"
      look={{ variant: "danger" }}
      title="Pause all calls?"
      description="No tool is called and no webhook sent, in any run, until an admin lets calls go again. What was sent already cannot be taken back."
      action={changePause}
      sent={{ paused: "yes" }}
      confirm="Pause all calls"
      pendingText="Pausing…"
      danger
    />
  );
}
