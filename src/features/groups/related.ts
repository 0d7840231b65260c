/** Who sent events together with a group, and the groups that persons or other groups sent events with. */
import { DAY_MS } from '../../core/time/units.ts';
import type { EventStatement } from '../../query/event-statement.ts';
import { prepareEventQuery } from '../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type { EventPerson } from '../../stores/metadata/event-records.ts';
import type { StoredGroup } from '../../stores/metadata/groups.ts';

const LOOKBACK_MS = 90 * DAY_MS;
const MAX_PERSONS = 100;
/** Of each type. */
const MAX_GROUPS = 50;

/** A group, or a person by UUID. */
export type RelatedTo = { kind: 'group'; typeIndex: number; key: string } | { kind: 'person'; uuid: string };

interface Related {
  persons: EventPerson[];
  groups: StoredGroup[];
}

/** Of the last 90 days, those with the latest events first. */
export async function listRelated(deps: QueryDeps, projectId: number, to: RelatedTo): Promise<Related> {
  const types = await deps.metadata.groups.listTypes(projectId);
  const others = types.map(({ index }) => index).filter((index) => to.kind === 'person' || index !== to.typeIndex);
  return {
    persons: to.kind === 'person' ? [] : await relatedPersons(deps, projectId, to),
    groups: (await Promise.all(others.map((index) => relatedGroups(deps, projectId, to, index)))).flat(),
  };
}

async function relatedPersons(deps: QueryDeps, projectId: number, to: RelatedTo): Promise<EventPerson[]> {
  const uuids = await latestValues(deps, projectId, to, PERSON_COLUMN, MAX_PERSONS);
  const persons = await deps.metadata.eventPersons.listByUuids(projectId, uuids);
  const known = new Map(persons.map((person) => [person.uuid, person]));
  return uuids.flatMap((uuid) => known.get(uuid) ?? []);
}

async function relatedGroups(
  deps: QueryDeps,
  projectId: number,
  to: RelatedTo,
  typeIndex: number,
): Promise<StoredGroup[]> {
  const keys = await latestValues(deps, projectId, to, columnOf(typeIndex), MAX_GROUPS);
  const found = await Promise.all(keys.map((key) => deps.metadata.groups.get(projectId, typeIndex, key)));
  return found.filter((group) => group !== null);
}

async function latestValues(
  deps: QueryDeps,
  projectId: number,
  to: RelatedTo,
  column: string,
  limit: number,
): Promise<string[]> {
  const query = await prepareEventQuery(deps, projectId, { filters: [], hasActors: true, persons: 'listed' });
  const statement = query.begin();
  const now = deps.clock.now();
  const rows = await statement.query(
    `select ${column} as value, max(e.timestamp) as latest
    ${statement.from()}
    where ${statement.inProject()} and ${statement.during({ from: now - LOOKBACK_MS, until: now + DAY_MS })}
      and ${isOf(statement, to)}${column === PERSON_COLUMN ? '' : ` and coalesce(${column}, '') <> ''`}
    group by 1
    order by latest desc, value
    limit ${limit}`,
  );
  return rows.map((row) => String(row['value']));
}

const PERSON_COLUMN = 'e.person_id';

const columnOf = (typeIndex: number): string => `e.group_${Number(typeIndex)}`;

const isOf = ({ sql }: EventStatement, to: RelatedTo): string =>
  to.kind === 'person'
    ? `${PERSON_COLUMN} = cast(${sql.param(to.uuid)} as UUID)`
    : `${columnOf(to.typeIndex)} = ${sql.param(to.key)}`;
