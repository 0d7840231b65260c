/** Kinds of groups and their properties over one chunk of events. */
import type { Event } from '../../core/events/event.ts';
import {
  applyGroups,
  type GroupIdentify,
  groupIdentify,
  groupTypesIn,
  MAX_GROUP_TYPES,
} from '../../core/events/groups.ts';
import type { Group, GroupType, IngestChanges, IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import type { FreshEvent } from './read-entries.ts';

const keyOf = (projectId: number, typeIndex: number, key: string): string => `${projectId}:${typeIndex}:${key}`;

export class GroupRecorder {
  readonly #indexes = new Map<number, Map<string, number>>();
  readonly #newTypes: GroupType[] = [];
  readonly #groups = new Map<string, Group>();
  readonly #changed = new Set<string>();

  /** Gives every kind of group that the chunk names its number, in order of first use, and loads the groups described. */
  static async load(store: IngestTransaction, fresh: readonly FreshEvent[]): Promise<GroupRecorder> {
    const book = new GroupRecorder();
    const named = fresh.filter(({ event }) => groupTypesIn(event).length > 0).map(({ event }) => event);
    if (named.length === 0) return book;
    const known = await store.listGroupTypes([...new Set(named.map((event) => event.projectId))]);
    for (const { projectId, index, name } of known) book.#indexesOf(projectId).set(name, index);
    for (const event of named) for (const type of groupTypesIn(event)) book.#number(event.projectId, type);
    const described = named.flatMap((event) => book.#described(event) ?? []);
    for (const group of await store.listGroups(described)) {
      book.#groups.set(keyOf(group.projectId, group.typeIndex, group.key), group);
    }
    return book;
  }

  /** The event's group keys by index; a `$groupidentify` changes its group on the way. */
  handle(event: Event): (string | null)[] {
    const identified = groupIdentify(event);
    const at = identified && this.#described(event);
    if (identified && at) this.#describe(event, identified, at);
    return applyGroups(event, this.#indexesOf(event.projectId));
  }

  indexOf(projectId: number, type: string): number | undefined {
    return this.#indexes.get(projectId)?.get(type);
  }

  changes(): Pick<IngestChanges, 'groupTypes' | 'groups'> {
    return {
      groupTypes: this.#newTypes,
      groups: [...this.#groups].flatMap(([key, g]) => (this.#changed.has(key) ? [g] : [])),
    };
  }

  #indexesOf(projectId: number): Map<string, number> {
    const known = this.#indexes.get(projectId);
    if (known) return known;
    const fresh = new Map<string, number>();
    this.#indexes.set(projectId, fresh);
    return fresh;
  }

  /** A sixth kind gets no number: it is passed over, as the wire has it. */
  #number(projectId: number, name: string): void {
    const indexes = this.#indexesOf(projectId);
    if (indexes.has(name) || indexes.size >= MAX_GROUP_TYPES) return;
    const index = indexes.size;
    indexes.set(name, index);
    this.#newTypes.push({ projectId, index, name });
  }

  #described(event: Event): Pick<Group, 'projectId' | 'typeIndex' | 'key'> | undefined {
    const identified = groupIdentify(event);
    const typeIndex = identified && this.indexOf(event.projectId, identified.type);
    return identified && typeIndex !== undefined
      ? { projectId: event.projectId, typeIndex, key: identified.key }
      : undefined;
  }

  #describe(event: Event, { set }: GroupIdentify, at: Pick<Group, 'projectId' | 'typeIndex' | 'key'>): void {
    const key = keyOf(at.projectId, at.typeIndex, at.key);
    const before = this.#groups.get(key);
    const properties = { ...before?.properties, ...set };
    if (before && JSON.stringify(properties) === JSON.stringify(before.properties)) return;
    const createdAt = before?.createdAt ?? event.timestamp;
    this.#groups.set(key, { ...at, properties, createdAt, version: (before?.version ?? 0) + 1 });
    this.#changed.add(key);
  }
}
