/**
 * Conditions refer to cohorts, flags, actions and group types by ids, which differ from project to project. For another
 * project, or for a file, the ids are replaced by names, and there the names by its ids.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseId } from '../../../core/parse-id.ts';

const KINDS = ['cohort', 'flag', 'action', 'group_type'] as const;
type ReferenceKind = (typeof KINDS)[number];

interface Reference {
  kind: ReferenceKind;
  name: string;
}

/** Of each kind: id → name, and name → ids. Flags are named by key. */
export type NamesById = Record<ReferenceKind, ReadonlyMap<number, string>>;
export type IdsByName = Record<ReferenceKind, ReadonlyMap<string, readonly number[]>>;

interface ReferenceField {
  kind: ReferenceKind;
  /** Where the id is, and where the name goes. */
  id: string;
  name: string;
  applies(item: JsonObject): boolean;
}

const COHORT_TYPES: readonly unknown[] = ['cohort', 'static-cohort', 'precalculated-cohort'];

const FIELDS: readonly ReferenceField[] = [
  { kind: 'cohort', id: 'value', name: 'cohort', applies: ({ type }) => COHORT_TYPES.includes(type) },
  { kind: 'flag', id: 'key', name: 'flag', applies: ({ type }) => type === 'flag' },
  { kind: 'action', id: 'key', name: 'action', applies: ({ event_type }) => event_type === 'actions' },
  {
    kind: 'action',
    id: 'seq_event',
    name: 'seq_action',
    applies: ({ seq_event_type }) => seq_event_type === 'actions',
  },
  { kind: 'group_type', id: 'group_type_index', name: 'group_type', applies: () => true },
  { kind: 'group_type', id: 'aggregation_group_type_index', name: 'aggregation_group_type', applies: () => true },
];

/** What stands for an id that nothing has: it was deleted. */
const unknownName = (id: number): string => `#${id}`;

export function idsToNames(value: Json, names: NamesById): Json {
  return mapObjects(value, (item) => {
    const named = { ...item };
    for (const field of FIELDS) {
      const id = field.applies(item) ? idIn(item[field.id]) : null;
      if (id === null) continue;
      delete named[field.id];
      named[field.name] = names[field.kind].get(id) ?? unknownName(id);
    }
    return named;
  });
}

/** An id, or a list of nothing but one. */
const idIn = (value: Json | undefined): number | null =>
  parseId(Array.isArray(value) && value.length === 1 ? value[0] : value);

export interface Resolved<T extends Json = Json> {
  value: T;
  /** All references, in the order of the conditions, each once. `id` null: there is none of that name, or several. */
  references: (Reference & { id: number | null; found: number })[];
}

export function namesToIds<T extends Json>(value: T, ids: IdsByName): Resolved<T> {
  const references = new Map<string, Resolved['references'][number]>();
  const resolved = mapObjects(value, (item) => {
    const stored = { ...item };
    for (const field of FIELDS) {
      const name = field.applies(item) ? item[field.name] : undefined;
      if (typeof name !== 'string') continue;
      const found = ids[field.kind].get(name) ?? [];
      const id = found.length === 1 ? (found[0] ?? null) : null;
      references.set(`${field.kind} ${name}`, { kind: field.kind, name, id, found: found.length });
      if (id === null) continue;
      delete stored[field.name];
      // The key of a dependency or action is text, as clients write it.
      stored[field.id] = field.id === 'key' || field.id === 'seq_event' ? String(id) : id;
    }
    return stored;
  });
  return { value: resolved as T, references: [...references.values()] };
}

/** Payloads and their schema are data of the application, whatever they look like. */
const OPAQUE = new Set(['payloads', 'payload_schema']);

function mapObjects(value: Json, map: (item: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, map));
  if (!isJsonObject(value)) return value;
  const inner = Object.entries(value).map(([key, item]): [string, Json] => [
    key,
    OPAQUE.has(key) ? item : mapObjects(item, map),
  ]);
  return map(Object.fromEntries(inner));
}

/** Keys under which conditions name single users, who are others in another project. */
const IDENTITY_KEYS: ReadonlySet<unknown> = new Set([
  'distinct_id',
  '$distinct_id',
  'id',
  'user_id',
  '$user_id',
  'uuid',
]);

/** Conditions on ids of persons: they can be carried over, but probably match nobody there. */
export function identityConditions(value: Json): { key: string; value: Json }[] {
  const found: { key: string; value: Json }[] = [];
  mapObjects(value, (item) => {
    const { type = 'person', key } = item;
    if (type === 'person' && IDENTITY_KEYS.has(key) && 'value' in item) {
      found.push({ key: String(key), value: item['value'] ?? null });
    }
    return item;
  });
  return found;
}
