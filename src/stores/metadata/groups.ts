/** Groups and their kinds: made by events (`ingest-store.ts`), looked at and named by people. */
import type { Group } from '../ingest/ingest-store.ts';

export interface NamedGroupType {
  index: number;
  /** As events call it. */
  name: string;
  /** As people read it; null while nobody has said. */
  nameSingular: string | null;
  namePlural: string | null;
}

export type StoredGroup = Pick<Group, 'typeIndex' | 'key' | 'properties' | 'createdAt'>;

/** A place in the list of groups: newest first, then by key. */
export type GroupCursor = Pick<StoredGroup, 'createdAt' | 'key'>;

export interface GroupQuery {
  /** Part of the key or of a property, whatever the case of plain letters. */
  search: string | undefined;
  /** Only groups behind this place, or only groups before it: the nearest ones. */
  from: { direction: 'behind' | 'before'; place: GroupCursor } | undefined;
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
  /** In the order of the list, in whichever direction it was looked. */
  list(projectId: number, typeIndex: number, query: GroupQuery): Promise<StoredGroup[]>;
  /** How many of the newest `among` groups have which property: the most frequent first. */
  countProperties(projectId: number, typeIndex: number, among: number): Promise<{ name: string; count: number }[]>;
  /** How many of the newest `among` groups have which value of one property, in no order. */
  countValues(projectId: number, typeIndex: number, property: string, among: number): Promise<CountedValue[]>;
}
