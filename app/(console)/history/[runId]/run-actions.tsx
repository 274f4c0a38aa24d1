"use client";

import { ActionDialog } from "@/components/runs/action-dialog";
import { TextArea } from "@/components/runs/text-area";
import { TextField } from "@/components/ui/field";
import { cancel, retry } from "./actions";

interface Props {
  runId: string;
  canCancel: boolean;
  canRetry: boolean;
  /** Params that were secret: a run that has ended no longer has them. */
  secrets: readonly string[];
}

export function RunActions({ runId, canCancel, canRetry, secrets }: Props) {
  return (
    <>
      {canRetry ? (
        <ActionDialog
          button="Retry…"
          look={{ size: "small" }}
          title="Retry from where it ended?"
          description="A new run goes on under the same version of the project. Steps that ended well are kept and not paid for again."
          action={retry}
          sent={{ runId }}
          confirm="Start the retry"
          pendingText="Starting…"
          renderFields={(state) =>
            secrets.map((name) => (
              <TextField
                key={name}
                id={`secret-${name}`}
                name={`password-${name}`}
                type="password"
                label={name}
                hint="A secret, which the run has forgotten; give it again."
                error={state.issues[`password-${name}`]}
                autoComplete="off"
                required
              />
            ))
          }
        />
      ) : null}
      {canCancel ? (
        <ActionDialog
          button="Cancel run…"
          look={{ size: "small", variant: "danger" }}
          title="Cancel this run?"
          description="Calls that wait for approval are withdrawn and never sent. A call that was sent already cannot be taken back."
          action={cancel}
          sent={{ runId }}
          confirm="Cancel the run"
          pendingText="Cancelling…"
          danger
          renderFields={(state) => (
            <TextArea
              id="cancel-reason"
              name="reason"
              label="Reason, for the record"
              rows={2}
              maxLength={2000}
              defaultValue={state.values.reason}
            />
          )}
        />
      ) : null}
    </>
  );
}
