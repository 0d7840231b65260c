/** Group types and the properties of groups over one chunk of events. */
import type { Event } from '../../core/events/event.ts';
import {
  applyGroups,
  type GroupIdentify,
  groupIdentify,
  groupTypesIn,
  MAX_GROUP_TYPES,
} from '../../core/events/groups.ts';
import type { Warning } from '../../core/events/warning.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import { growsTooLarge } from '../../core/persons/properties-size.ts';
import type { Group, GroupType, IngestChanges, IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import type { NewEvent } from './normalise-entries.ts';

const NONE: readonly Warning[] = [];

const keyOf = (projectId: number, typeIndex: number, key: string): string => `${projectId}:${typeIndex}:${key}`;

export class GroupRecorder {
  readonly #indexes = new Map<number, Map<string, number>>();
  readonly #newTypes: GroupType[] = [];
  readonly #groups = new Map<string, Group>();
  readonly #changed = new Set<string>();

  /** Numbers the group types of the chunk in order of first use, and loads the groups that it identifies. */
  async load(store: IngestTransaction, newEvents: readonly NewEvent[]): Promise<void> {
    const events = newEvents.filter(({ event }) => groupTypesIn(event).length > 0).map(({ event }) => event);
    if (events.length === 0) return;
    const known = await store.listGroupTypes([...new Set(events.map((event) => event.projectId))]);
    for (const { projectId, index, name } of known) this.#indexesOf(projectId).set(name, index);
    for (const event of events) for (const type of groupTypesIn(event)) this.#assignIndex(event.projectId, type);
    const identified = events.flatMap((event) => this.#identifiedGroup(event) ?? []);
    for (const group of await store.listGroups(identified)) {
      this.#groups.set(keyOf(group.projectId, group.typeIndex, group.key), group);
    }
  }

  /** The event's group keys by index; a `$groupidentify` also updates its group. */
  handle(event: Event): { keys: readonly (string | null)[]; warnings: readonly Warning[] } {
    const identified = groupIdentify(event);
    const group = identified && this.#identifiedGroup(event);
    const warnings = identified && group ? this.#update(event, identified, group) : NONE;
    return { keys: applyGroups(event, this.#indexesOf(event.projectId)), warnings };
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
    const indexes = new Map<string, number>();
    this.#indexes.set(projectId, indexes);
    return indexes;
  }

  /** A sixth type gets no index and is ignored. */
  #assignIndex(projectId: number, name: string): void {
    const indexes = this.#indexesOf(projectId);
    if (indexes.has(name) || indexes.size >= MAX_GROUP_TYPES) return;
    const index = indexes.size;
    indexes.set(name, index);
    this.#newTypes.push({ projectId, index, name });
  }

  #identifiedGroup(event: Event): Pick<Group, 'projectId' | 'typeIndex' | 'key'> | undefined {
    const identified = groupIdentify(event);
    const typeIndex = identified && this.indexOf(event.projectId, identified.type);
    return identified && typeIndex !== undefined
      ? { projectId: event.projectId, typeIndex, key: identified.key }
      : undefined;
  }

  #update(
    event: Event,
    { type, set }: GroupIdentify,
    group: Pick<Group, 'projectId' | 'typeIndex' | 'key'>,
  ): Warning[] {
    const key = keyOf(group.projectId, group.typeIndex, group.key);
    const before = this.#groups.get(key);
    const properties = { ...before?.properties, ...set };
    if (growsTooLarge(before?.properties ?? {}, properties)) {
      const details = { groupType: type, groupKey: group.key, eventUuid: event.uuid };
      return [{ type: 'group_properties_size_violation', details }];
    }
    if (before && stringifyExact(properties) === stringifyExact(before.properties)) return [];
    const createdAt = before?.createdAt ?? event.timestamp;
    this.#groups.set(key, { ...group, properties, createdAt, version: (before?.version ?? 0) + 1 });
    this.#changed.add(key);
    return [];
  }
}
