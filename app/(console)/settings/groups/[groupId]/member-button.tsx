"use client";

import { FormFailure } from "@/components/ui/form-failure";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { changeMember } from "../actions";

export function MemberButton({
  groupId,
  userId,
  name,
  isMember,
}: {
  groupId: string;
  userId: string;
  name: string;
  isMember: boolean;
}) {
  const [state, action] = useForm(changeMember);
  return (
    <form action={action} className="grid justify-items-end gap-2">
      <input type="hidden" name="groupId" value={groupId} />
      <input type="hidden" name="userId" value={userId} />
      <input type="hidden" name="member" value={isMember ? "no" : "yes"} />
      <SubmitButton variant="plain" size="small" pendingText={isMember ? "Removing…" : "Adding…"}>
        {isMember ? "Remove" : "Add"}
        <span className="sr-only"> {name}</span>
      </SubmitButton>
      <FormFailure state={state} />
    </form>
  );
}
