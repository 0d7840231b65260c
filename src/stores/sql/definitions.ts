import type { Selectable } from 'kysely';
import type { PropertyType } from '../../core/events/property-types.ts';
import type {
  DefinitionDetails,
  DefinitionStore,
  EventDefinition,
  EventDetails,
  PropertyDefinition,
  PropertyDetails,
} from '../metadata/definitions.ts';
import { eventNames, propertyNames, readDefinitionPage } from './definition-pages.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

const DETAILS = ['description', 'tags', 'verifiedAt', 'verifiedBy', 'updatedAt', 'updatedBy'] as const;
const EVENT = [...DETAILS, 'id', 'name', 'createdAt', 'lastSeenAt', 'ownerId', 'postToSlack'] as const;
const KIND = ['kind', 'groupTypeIndex'] as const;
const PROPERTY = [...DETAILS, ...KIND, 'id', 'name', 'createdAt', 'propertyType', 'isTypeChosen'] as const;

type EventRow = Pick<Selectable<Tables['eventDefinitions']>, (typeof EVENT)[number]>;
type PropertyRow = Pick<Selectable<Tables['propertyDefinitions']>, (typeof PROPERTY)[number]>;

const toEvent = (row: EventRow): EventDefinition => ({
  ...row,
  tags: JSON.parse(row.tags),
  postToSlack: row.postToSlack === 1,
});

const toProperty = (row: PropertyRow): PropertyDefinition => ({
  ...row,
  kind: row.kind as PropertyDefinition['kind'],
  tags: JSON.parse(row.tags),
  propertyType: row.propertyType as PropertyType | null,
  isTypeChosen: row.isTypeChosen === 1,
});

const pick = <T extends object, K extends keyof T>(row: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<T, K>;

/** Only fields that are given are written. */
const shared = ({ tags, ...rest }: Partial<DefinitionDetails>) => ({
  ...rest,
  ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
});

const eventColumns = ({ postToSlack, ...rest }: Partial<EventDetails>) => ({
  ...shared(rest),
  ...(postToSlack === undefined ? {} : { postToSlack: toBit(postToSlack) }),
});

const propertyColumns = ({ isTypeChosen, ...rest }: Partial<PropertyDetails>) => ({
  ...shared(rest),
  ...(isTypeChosen === undefined ? {} : { isTypeChosen: toBit(isTypeChosen) }),
});

export function definitionStore(on: Sql): DefinitionStore {
  const { db, dialect } = on;
  const events = (projectId: number) =>
    db.selectFrom('eventDefinitions').select(EVENT).where('projectId', '=', projectId);
  const properties = (projectId: number) =>
    db.selectFrom('propertyDefinitions').select(PROPERTY).where('projectId', '=', projectId);
  return {
    async pageOfEvents(projectId, filter, order, page) {
      const names = eventNames(dialect, projectId, filter);
      const { count, items } = await readDefinitionPage<EventRow>(on, names, order, page);
      return { count, items: items.map((row) => toEvent(pick(row, EVENT))) };
    },
    async pageOfProperties(projectId, filter, order, page) {
      const names = propertyNames(dialect, projectId, filter);
      const { count, items } = await readDefinitionPage<PropertyRow>(on, names, order, page);
      return { count, items: items.map((row) => toProperty(pick(row, PROPERTY))) };
    },
    async deleteEvent(projectId, { id, name }) {
      await db.deleteFrom('eventDefinitions').where('projectId', '=', projectId).where('id', '=', id).execute();
      await db.deleteFrom('eventProperties').where('projectId', '=', projectId).where('event', '=', name).execute();
    },
    async deleteProperty(projectId, { id, kind, name }) {
      await db.deleteFrom('propertyDefinitions').where('projectId', '=', projectId).where('id', '=', id).execute();
      if (kind !== 'event') return;
      await db.deleteFrom('eventProperties').where('projectId', '=', projectId).where('property', '=', name).execute();
    },
    async listEvents(projectId) {
      return (await events(projectId).orderBy('name').execute()).map(toEvent);
    },
    async getEvent(projectId, id) {
      const row = await events(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toEvent(row) : null;
    },
    async updateEvent(projectId, id, details) {
      await db
        .updateTable('eventDefinitions')
        .set(eventColumns(details))
        .where('projectId', '=', projectId)
        .where('id', '=', id)
        .execute();
    },
    async listProperties(projectId, { kind, groupTypeIndex }) {
      const rows = await properties(projectId)
        .where('kind', '=', kind)
        .where('groupTypeIndex', '=', groupTypeIndex)
        .orderBy('name')
        .execute();
      return rows.map(toProperty);
    },
    async getProperty(projectId, id) {
      const row = await properties(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toProperty(row) : null;
    },
    async updateProperty(projectId, id, details) {
      await db
        .updateTable('propertyDefinitions')
        .set(propertyColumns(details))
        .where('projectId', '=', projectId)
        .where('id', '=', id)
        .execute();
    },
    async listPropertyNamesByEvents(projectId, names, { limit, among } = {}) {
      if (names.length === 0 || among?.length === 0) return [];
      let query = db
        .selectFrom('eventProperties')
        .select('property')
        .distinct()
        .where('projectId', '=', projectId)
        .where('event', 'in', names);
      if (among) query = query.where('property', 'in', among);
      if (limit !== undefined) query = query.limit(limit);
      const rows = await query.execute();
      return rows.map((row) => row.property);
    },
  };
}
