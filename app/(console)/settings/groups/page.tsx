import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { type GroupWithMembers, listGroups } from "@/lib/people/queries/list-groups";
import { titleFor } from "../../title-for";
import { findCurrentProject } from "../../workflows/current-project";
import { AddGroup } from "./add-group";

export const generateMetadata = titleFor("admin", "Groups");

const NAMES_SHOWN = 6;

export default async function GroupsPage() {
  await requirePermission("admin");
  const groups = await listGroups(engineDeps().db);
  const named = findCurrentProject()?.policy?.groups ?? {};
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3 tablet:px-6">
        <p className="text-sm text-ink-2">
          A group that <code>policy.yaml</code> names under <code>groups</code> can stand under <code>approvers</code>:
          its members are who may decide. They may be added here or in the file.
        </p>
        <AddGroup />
      </div>
      {groups.length > 0 ? (
        <Table
          label="Groups"
          head={
            <>
              <Th>Group</Th>
              <Th className="max-tablet:hidden">Members</Th>
            </>
          }
        >
          {groups.map((group) => (
            <Row key={group.id} className="hover:bg-sunken/60">
              <Td className="align-top tablet:w-2/5">
                <Link
                  href={`/settings/groups/${group.id}`}
                  className="font-medium underline decoration-line-strong underline-offset-3 hover:decoration-ink"
                >
                  {group.name}
                </Link>
                {group.description ? <div className="text-sm text-ink-3">{group.description}</div> : null}
                {Object.hasOwn(named, group.name) ? (
                  <div className="text-sm text-ink-3">
                    named in <code>policy.yaml</code>
                  </div>
                ) : (
                  <div className="text-sm text-ink-3">
                    not named in <code>policy.yaml</code>, so no rule of the project can name it
                  </div>
                )}
                <div className="pt-1 text-ink-2 tablet:hidden">
                  <Members group={group} isNeeded={Object.hasOwn(named, group.name)} />
                </div>
              </Td>
              <Td className="align-top text-ink-2 max-tablet:hidden">
                <Members group={group} isNeeded={Object.hasOwn(named, group.name)} />
              </Td>
            </Row>
          ))}
        </Table>
      ) : (
        <EmptyState title="No group yet">
          <p>
            Without groups any reviewer may decide. A group such as <code>finance</code>, named under{" "}
            <code>groups</code> in <code>policy.yaml</code>, narrows a call down to the people who know.
          </p>
        </EmptyState>
      )}
    </>
  );
}

/** A group that the project relies on and that has no members is marked: its calls would wait for nobody. */
function Members({ group, isNeeded }: { group: GroupWithMembers; isNeeded: boolean }) {
  const { members, withoutAccount } = group;
  return (
    <>
      {members.length > 0 ? (
        <p>
          {members
            .slice(0, NAMES_SHOWN)
            .map(({ name }) => name)
            .join(", ")}
          {members.length > NAMES_SHOWN ? ` and ${members.length - NAMES_SHOWN} more` : null}
        </p>
      ) : isNeeded ? (
        <p className="text-critical">Nobody yet, so nobody can decide what only this group may.</p>
      ) : (
        <p className="text-ink-3">nobody yet</p>
      )}
      {withoutAccount.length > 0 ? (
        <p className="text-sm text-ink-3 wrap-anywhere">
          Without an account: {withoutAccount.slice(0, NAMES_SHOWN).join(", ")}
          {withoutAccount.length > NAMES_SHOWN ? ` and ${withoutAccount.length - NAMES_SHOWN} more` : null}
        </p>
      ) : null}
    </>
  );
}
