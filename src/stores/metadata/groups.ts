/** Groups and group types. Events create them (`ingest-store.ts`), users name them. */
import type { Group } from '../ingest/ingest-store.ts';

export interface NamedGroupType {
  index: number;
  /** The name that events use. */
  name: string;
  /** Display names; null until a user sets them. */
  nameSingular: string | null;
  namePlural: string | null;
}

export type StoredGroup = Pick<Group, 'typeIndex' | 'key' | 'properties' | 'createdAt'>;

/** A position in the list of groups, which is sorted newest first, then by key. */
export type GroupCursor = Pick<StoredGroup, 'createdAt' | 'key'>;

export interface GroupQuery {
  /** Part of the key or of a property; ignores the case of ASCII letters. */
  search: string | undefined;
  /** Only groups behind (older) or before this position, nearest ones first. */
  from: { direction: 'behind' | 'before'; cursor: GroupCursor } | undefined;
  limit: number;
}

interface CountedValue {
  /** JSON text. */
  value: string;
  count: number;
}

export interface GroupStore {
  /** By index. */
  listTypes(projectId: number): Promise<NamedGroupType[]>;
  updateType(
    projectId: number,
    index: number,
    names: Partial<Pick<NamedGroupType, 'nameSingular' | 'namePlural'>>,
  ): Promise<void>;
  get(projectId: number, typeIndex: number, key: string): Promise<StoredGroup | null>;
  /** Always newest first, whatever the direction. */
  list(projectId: number, typeIndex: number, query: GroupQuery): Promise<StoredGroup[]>;
  /** Deletes the groups of any type with these keys; returns how many. */
  delete(projectId: number, keys: readonly string[]): Promise<number>;
  /** How many of the newest `among` groups have each property, most frequent first. */
  countProperties(projectId: number, typeIndex: number, among: number): Promise<{ name: string; count: number }[]>;
  /** How many of the newest `among` groups have each value of one property, in no order. */
  countValues(projectId: number, typeIndex: number, property: string, among: number): Promise<CountedValue[]>;
}
