"use client";

import Link from "next/link";
import { ActionDialog } from "@/components/runs/action-dialog";
import { TextArea } from "@/components/runs/text-area";
import { ValueView } from "@/components/runs/value-view";
import { buttonClass } from "@/components/ui/button";
import type { FormState } from "@/components/ui/form-state";
import { review, settle } from "./actions";

const frame = "grid gap-3 rounded-lg border border-high/45 bg-high-soft px-4 py-3 print:hidden";

/** The run needs decisions; they are made in the inbox, where everything about a call can be seen. */
export function PendingApprovals({ runId, count, canDecide }: { runId: string; count: number; canDecide: boolean }) {
  return (
    <section aria-label="Waiting for approval" className={`${frame} tablet:flex tablet:items-center`}>
      <p className="flex-1">
        <strong className="font-semibold">Held, not failed.</strong>{" "}
        {count === 1 ? "One call waits" : `${count} calls wait`} for a person
        {canDecide ? "." : "; who may decide is on each call."}
      </p>
      <Link href={`/history/${runId}/approvals`} className={buttonClass({ size: "small" }, "hover:bg-sunken")}>
        {canDecide ? "See and decide" : "See what is asked"}
      </Link>
    </section>
  );
}

interface ReviewProps {
  runId: string;
  review: { stepId: string; name: string; message: string; output: unknown; digest: string; others: number };
  canReview: boolean;
  /** Why this person can only refuse it. */
  whyNotAccept: string | null;
}

export function ReviewPanel({
  runId,
  review: { stepId, name, message, output, digest, others },
  canReview,
  whyNotAccept,
}: ReviewProps) {
  const renderComment = ({ values }: FormState) => (
    <TextArea
      id="review-comment"
      name="comment"
      label="Comment, for the record"
      rows={2}
      maxLength={2000}
      defaultValue={values.comment}
    />
  );
  return (
    <section aria-label="An answer waits for a person" className={frame}>
      <p>
        <strong className="font-semibold">Step {name} has an answer that a person must see first.</strong> {message}{" "}
        {others > 0 ? `${others === 1 ? "One more waits" : `${others} more wait`} after it.` : ""}
      </p>
      <ValueView value={output} />
      {canReview ? (
        <div className="flex flex-wrap gap-2">
          {whyNotAccept ? (
            <p className="basis-full text-sm text-ink-2">{whyNotAccept}</p>
          ) : (
            <ActionDialog
              button="Accept the answer…"
              look={{ size: "small", variant: "primary" }}
              title={`Accept the answer of ${name}?`}
              description="It is checked against its schema like any other, and the run goes on with it."
              action={review}
              sent={{ runId, stepId, digest, accepted: "yes" }}
              confirm="Accept"
              pendingText="Accepting…"
              renderFields={renderComment}
            />
          )}
          <ActionDialog
            button="End the run…"
            look={{ size: "small" }}
            title="Refuse the answer and end the run?"
            description={`Step ${name} fails, and the run with it. It can be retried later.`}
            action={review}
            sent={{ runId, stepId, digest, accepted: "no" }}
            confirm="End the run"
            pendingText="Ending…"
            danger
            renderFields={renderComment}
          />
        </div>
      ) : (
        <p className="text-sm text-ink-2">A reviewer can accept it or end the run.</p>
      )}
    </section>
  );
}

interface UnknownProps {
  runId: string;
  call: { id: string; server: string; tool: string; summary: string; reason: string | null; isWebhook: boolean };
  isOver: boolean;
  canSettle: boolean;
}

export function UnknownOutcome({ runId, call, isOver, canSettle }: UnknownProps) {
  return (
    <section
      aria-label={`Unknown outcome of ${call.server}.${call.tool}`}
      className={`${frame} tablet:flex tablet:items-center`}
    >
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">Nobody knows whether this call happened.</strong>{" "}
        <code className="wrap-anywhere">{`${call.server}.${call.tool}`}</code>{" "}
        {/[.!?…]$/.test(call.summary) ? call.summary : `${call.summary}.`} It was sent, and nothing proves what came of
        it; it is never sent again by itself.
        {call.reason ? <span className="block text-sm text-ink-2 wrap-anywhere">{call.reason}</span> : null}
      </p>
      {canSettle ? (
        <ActionDialog
          button="Settle…"
          look={{ size: "small", variant: "primary" }}
          title="What became of the call?"
          description="Look at the other side first: the log of the tool server, or the thing itself."
          action={settle}
          sent={{ runId, callId: call.id }}
          confirm="Settle"
          pendingText="Settling…"
          renderFields={(state) => <SettleFields isOver={isOver} isWebhook={call.isWebhook} state={state} />}
        />
      ) : (
        <p className="text-sm text-ink-2">An operator can settle it.</p>
      )}
    </section>
  );
}

function SettleFields({
  isOver,
  isWebhook,
  state: { issues, values },
}: {
  isOver: boolean;
  isWebhook: boolean;
  state: FormState;
}) {
  const choices = [
    {
      value: "happened",
      label: "It happened",
      hint: isOver
        ? "It is on record, with the result below. A retry begins its step anew."
        : "The run goes on with the result below.",
    },
    ...(isOver
      ? []
      : [
          {
            value: "did_not_happen",
            label: "It did not happen: send it now",
            hint: isWebhook ? "It is sent once, as it was." : "It is sent once, as it was approved.",
          },
        ]),
    {
      value: "failed",
      label: "Count it as failed",
      hint: isOver
        ? "It is on record as failed, and the run can be retried."
        : isWebhook
          ? "Its step fails."
          : "The agent is told that it failed.",
    },
  ];
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="sr-only">What became of the call</legend>
        {choices.map((choice) => (
          <label
            key={choice.value}
            className="-mx-2 flex items-start gap-2.5 rounded-md px-2 py-1.5 hover:bg-sunken has-focus-visible:bg-sunken"
          >
            <input
              type="radio"
              name="outcome"
              value={choice.value}
              defaultChecked={values.outcome === choice.value}
              required
              className="mt-1 shrink-0 accent-accent"
            />
            <span className="grid">
              {choice.label}
              <span className="text-sm text-ink-3">{choice.hint}</span>
            </span>
          </label>
        ))}
        {issues.outcome ? <p className="text-sm text-critical">{issues.outcome}</p> : null}
      </fieldset>
      <TextArea
        id="settle-result"
        name="result"
        label="Result, if it happened"
        hint={
          isWebhook ? "Text or JSON. It is the step’s output." : "Text or JSON. The agent reads it, and it is kept."
        }
        rows={3}
        mono
        defaultValue={values.result}
      />
      <TextArea
        id="settle-comment"
        name="comment"
        label="Comment, for the record"
        rows={2}
        maxLength={2000}
        defaultValue={values.comment}
      />
    </>
  );
}
