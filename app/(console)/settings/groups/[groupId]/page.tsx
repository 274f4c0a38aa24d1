import Link from "next/link";
import { notFound } from "next/navigation";
import { Button } from "@/components/ui/button";
import { controlClass } from "@/components/ui/field";
import { Section } from "@/components/ui/section";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { listGroups } from "@/lib/people/queries/list-groups";
import { listPeople } from "@/lib/people/queries/list-people";
import { oneText } from "../../../search-params";
import { titleFor } from "../../../title-for";
import { findCurrentProject } from "../../../workflows/current-project";
import { DeleteGroup, GroupForm } from "./group-form";
import { MemberButton } from "./member-button";

export const generateMetadata = titleFor("admin", "Group");

const FOUND_MAX = 8;

export default async function GroupPage({ params, searchParams }: PageProps<"/settings/groups/[groupId]">) {
  await requirePermission("admin");
  const { groupId } = await params;
  const q = oneText((await searchParams).q);
  const { db } = engineDeps();
  const [groups, people] = await Promise.all([listGroups(db), listPeople(db, { q, limit: FOUND_MAX })]);
  const group = groups.find(({ id }) => id === groupId);
  if (!group) notFound();
  const isNamed = Object.hasOwn(findCurrentProject()?.policy?.groups ?? {}, group.name);
  const memberIds = new Set(group.members.map(({ id }) => id));
  const others = people.items.filter(({ id }) => !memberIds.has(id));
  return (
    <div>
      <p className="px-4 pt-4 text-sm text-ink-3 tablet:px-6">
        <Link href="/settings/groups" className="underline decoration-line-strong underline-offset-3 hover:text-ink">
          Groups
        </Link>{" "}
        / {group.name}
      </p>
      {isNamed ? (
        <Section
          title="Group"
          about={
            <>
              Named in <code>policy.yaml</code>: its name is changed there.
            </>
          }
        >
          <p>{group.description || group.name}</p>
        </Section>
      ) : (
        <Section title="Group" about="A new name holds for decisions from now on; change it in the YAML too.">
          <GroupForm id={group.id} name={group.name} description={group.description} />
        </Section>
      )}
      <Section
        title="Members"
        about={`${group.members.length} of them may decide where this group is named, if their role lets them.`}
      >
        <PeopleList groupId={group.id} people={group.members} areMembers />
        {group.members.length === 0 ? <p className="text-ink-3">Nobody yet.</p> : null}
        {group.withoutAccount.length > 0 ? (
          <p className="text-sm text-ink-2 wrap-anywhere">
            <code>policy.yaml</code> also names {group.withoutAccount.join(", ")}. Whoever gets an account with such an
            address is a member at once.
          </p>
        ) : null}
      </Section>
      <Section title="Add members">
        <form role="search" className="flex max-w-96 gap-2">
          <input
            type="search"
            name="q"
            defaultValue={q}
            aria-label="Name or e-mail"
            placeholder="Name or e-mail"
            className={controlClass}
          />
          <Button type="submit">Find</Button>
        </form>
        <PeopleList groupId={group.id} people={others} areMembers={false} />
        {others.length === 0 ? (
          <p className="text-ink-3">
            {q ? `Nobody else fits “${q}”.` : "Everyone on this page of people is a member already; look for a name."}
          </p>
        ) : null}
      </Section>
      {isNamed ? null : (
        <Section title="Delete" about="For a group that no YAML names any more.">
          <DeleteGroup id={group.id} name={group.name} />
        </Section>
      )}
    </div>
  );
}

function PeopleList({
  groupId,
  people,
  areMembers,
}: {
  groupId: string;
  people: readonly { id: string; name: string; email: string; fromProject?: boolean }[];
  areMembers: boolean;
}) {
  if (people.length === 0) return null;
  return (
    <ul className="grid divide-y divide-line border-y border-line">
      {people.map((person) => (
        <li key={person.id} className="flex items-center gap-3 py-2">
          <div className="min-w-0 flex-1">
            <div>{person.name}</div>
            <div className="text-sm text-ink-3 wrap-anywhere">{person.email}</div>
          </div>
          {person.fromProject ? (
            <span className="text-sm text-ink-3">
              by <code>policy.yaml</code>
            </span>
          ) : (
            <MemberButton groupId={groupId} userId={person.id} name={person.name} isMember={areMembers} />
          )}
        </li>
      ))}
    </ul>
  );
}
