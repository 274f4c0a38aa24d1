import { Avatar } from "@/components/ui/avatar";
import { Button, buttonClass } from "@/components/ui/button";
import { controlClass } from "@/components/ui/field";
import { Pager } from "@/components/ui/pager";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { Tag } from "@/components/ui/tag";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { listPeople } from "@/lib/people/queries/list-people";
import type { Person } from "@/lib/people/queries/person";
import { addressWith, oneText } from "../../search-params";
import { titleFor } from "../../title-for";
import { AddPerson } from "./add-person";
import { PersonActions } from "./person-actions";
import { RoleSelect } from "./role-select";

export const generateMetadata = titleFor("admin", "People");

export default async function PeoplePage({ searchParams }: PageProps<"/settings/people">) {
  const { user } = await requirePermission("admin");
  const params = await searchParams;
  const [q, cursor] = [oneText(params.q), oneText(params.cursor)];
  const { db, now } = engineDeps();
  const page = await listPeople(db, { q, cursor });
  const clock = now().toISOString();
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-4 py-3 tablet:px-6">
        <form
          role="search"
          className="flex min-w-0 flex-1 gap-2 max-tablet:order-last max-tablet:basis-full tablet:max-w-80"
        >
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
        <div className="ml-auto">
          <AddPerson />
        </div>
      </div>
      <Table
        label="People"
        head={
          <>
            <Th>Person</Th>
            <Th className="max-tablet:hidden">Role</Th>
            <Th className="max-tablet:hidden">Groups</Th>
            <Th className="max-wide:hidden">Signs in with</Th>
            <Th className="max-tablet:hidden">Last sign-in</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </>
        }
      >
        {page.items.map((person) => (
          <PersonRow key={person.id} person={person} isSelf={person.id === user.id} clock={clock} />
        ))}
      </Table>
      {page.items.length === 0 ? (
        <p className="px-4 py-6 text-ink-2 tablet:px-6">
          Nobody fits “{q}”.{" "}
          <a href="/settings/people" className={buttonClass({ size: "small" }, "ml-2 hover:bg-sunken")}>
            Show everyone
          </a>
        </p>
      ) : null}
      <Pager
        label="Pages of people"
        firstHref={cursor ? addressWith("/settings/people", { q }) : undefined}
        nextHref={page.nextCursor ? addressWith("/settings/people", { q, cursor: page.nextCursor }) : undefined}
      />
    </>
  );
}

function PersonRow({ person, isSelf, clock }: { person: Person; isSelf: boolean; clock: string }) {
  const ways = [...(person.hasPassword ? ["password"] : []), ...person.providers];
  const plain = {
    id: person.id,
    name: person.name,
    email: person.email,
    role: person.role,
    disabled: person.disabled,
    isSelf,
  };
  return (
    <Row className="hover:bg-sunken/60">
      <Td className="w-full tablet:w-auto">
        <div className="flex items-center gap-3">
          <Avatar name={person.name} className="max-tablet:hidden" />
          <div className="min-w-0">
            <div className="flex flex-wrap items-center gap-x-2 font-medium">
              <span className={person.disabled ? "text-ink-3" : undefined}>{person.name}</span>
              {isSelf ? <Tag>you</Tag> : null}
              {person.disabled ? <Tag tone="critical">Disabled</Tag> : null}
            </div>
            <div className="text-sm text-ink-3 wrap-anywhere">{person.email}</div>
            <div className="flex flex-wrap items-center gap-x-4 text-sm text-ink-2 tablet:hidden">
              <RoleSelect person={plain} />
              <span>{person.groups.length > 0 ? person.groups.join(", ") : "no group"}</span>
              <span className="text-ink-3">
                {person.lastSignInAt ? (
                  <RelativeTime at={person.lastSignInAt.toISOString()} now={clock} />
                ) : (
                  "never signed in"
                )}
              </span>
            </div>
          </div>
        </div>
      </Td>
      <Td className="max-tablet:hidden">
        <RoleSelect person={plain} />
      </Td>
      <Td className="text-sm text-ink-2 max-tablet:hidden">
        {person.groups.length > 0 ? person.groups.join(", ") : <span className="text-ink-3">none</span>}
      </Td>
      <Td className="text-sm text-ink-2 max-wide:hidden">{ways.join(", ") || "nothing yet"}</Td>
      <Td className="text-sm text-ink-2 max-tablet:hidden">
        {person.lastSignInAt ? <RelativeTime at={person.lastSignInAt.toISOString()} now={clock} /> : "never"}
      </Td>
      <Td className="text-right max-tablet:align-top">
        <PersonActions person={plain} />
      </Td>
    </Row>
  );
}
