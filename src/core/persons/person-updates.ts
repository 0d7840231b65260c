import type { Event } from '../events/event.ts';
import { implicitUpdates, isImplicitKey, updatesPerson } from '../events/implicit-updates.ts';
import type { Warning } from '../events/warning.ts';
import type { JsonObject } from '../json/json.ts';
import { applyProperties, type PropertyUpdate } from './apply-properties.ts';
import { illegalMergeWarning, type MergeAttempt, mergeAttempt } from './merge-attempt.ts';
import type { Person, PropertyChange } from './person.ts';
import type { HistoryEntry, Override, PersonChanges, PersonOp } from './person-changes.ts';
import { type KnownPersons, newEntry, PersonRegister, type RegisterEntry } from './person-register.ts';
import { hasOnlyImplicitUpdates, personUpdate } from './person-update.ts';
import { planMerge } from './plan-merge.ts';

interface HandledEvent {
  /** The event's person, or the id under which a personless event is stored. */
  personId: string;
  warnings: Warning[];
}

const CREATOR = '$creator_event_uuid';

/**
 * The changes to persons that one chunk of events makes, in memory: known persons go in, events follow in order, and the
 * changes to write come out. Deterministic, so a chunk that is replayed after a crash gives the same persons, ids and
 * overrides.
 */
export class PersonUpdates {
  readonly #register: PersonRegister;
  readonly #ops: PersonOp[] = [];
  readonly #history: HistoryEntry[] = [];
  readonly #overrides: Override[] = [];
  /** Of the event that is being handled. */
  #warnings: Warning[] = [];

  constructor(known: KnownPersons) {
    this.#register = new PersonRegister(known);
  }

  handle(event: Event): HandledEvent {
    const warnings: Warning[] = [];
    this.#warnings = warnings;
    if (event.person === 'none') return { personId: this.#personlessId(event), warnings };
    const attempt = mergeAttempt(event);
    const refusal = attempt === undefined ? undefined : illegalMergeWarning(event, attempt.sourceId);
    if (refusal !== undefined) warnings.push(refusal);
    const entry = attempt === undefined || refusal !== undefined ? this.#plain(event) : this.#merge(event, attempt);
    return { personId: entry.person.uuid, warnings };
  }

  changes(): PersonChanges {
    for (const entry of this.#register.entries()) this.#applyImplicit(entry);
    return {
      persons: this.#register.states(),
      ops: this.#ops,
      history: this.#history,
      overrides: this.#overrides,
    };
  }

  /** Personless events of a known person belong to that person. */
  #personlessId(event: Event): string {
    const { projectId, distinctId } = event;
    return this.#register.find(projectId, distinctId)?.person.uuid ?? this.#register.freeUuid(projectId, distinctId);
  }

  #plain(event: Event): RegisterEntry {
    const entry = this.#register.find(event.projectId, event.distinctId);
    if (entry === undefined) return this.#create(event, personUpdate(event), false);
    if (hasOnlyImplicitUpdates(event.properties)) {
      if (updatesPerson(event.event)) entry.pendingProperties.push(event.properties);
      return entry;
    }
    this.#applyImplicit(entry);
    this.#write(entry, entry.person, personUpdate(event), event);
    return entry;
  }

  /**
   * Applies implicit updates of several events at once: only the last value of each property counts, and applying each
   * event's on its own took more time than everything else here. The history leaves these values out (see
   * `isImplicitKey`).
   */
  #applyImplicit(entry: RegisterEntry): void {
    if (entry.pendingProperties.length === 0) return;
    const { properties } = applyProperties(entry.person.properties, implicitUpdates(entry.pendingProperties) ?? {});
    entry.pendingProperties = [];
    if (properties === entry.person.properties) return;
    entry.person = { ...entry.person, properties, version: entry.person.version + 1 };
    entry.isChanged = true;
  }

  #merge(event: Event, attempt: MergeAttempt): RegisterEntry {
    const source = this.#register.find(event.projectId, attempt.sourceId);
    const target = this.#register.find(event.projectId, event.distinctId);
    for (const entry of [source, target]) if (entry) this.#applyImplicit(entry);
    const update = personUpdate(event);
    const plan = planMerge(source?.person, target?.person, attempt.kind);
    if (target === undefined) return this.#joinOrCreate(event, attempt, source, update);
    if (source === undefined) this.#addId(event.projectId, attempt.sourceId, target);
    if (plan === 'refuse') {
      const details = { sourceDistinctId: attempt.sourceId, targetDistinctId: event.distinctId, eventUuid: event.uuid };
      this.#warnings.push({ type: 'cannot_merge_already_identified', details });
    }
    const isMerge = plan === 'merge_source_into_target' && source !== undefined;
    const base = isMerge ? this.#takeOver(source, target, attempt, event) : target.person;
    this.#write(target, { ...base, isIdentified: true }, update, event, isMerge);
    return target;
  }

  /** The event's own id is new: it is added to the other id's person, or both ids get a new person. */
  #joinOrCreate(
    event: Event,
    attempt: MergeAttempt,
    source: RegisterEntry | undefined,
    update: PropertyUpdate,
  ): RegisterEntry {
    if (source === undefined) {
      const entry = this.#create(event, update, true);
      this.#addId(event.projectId, attempt.sourceId, entry);
      return entry;
    }
    this.#addId(event.projectId, event.distinctId, source);
    this.#write(source, { ...source.person, isIdentified: true }, update, event);
    return source;
  }

  #create(event: Event, update: PropertyUpdate, isIdentified: boolean): RegisterEntry {
    const { projectId, distinctId, uuid: eventUuid, timestamp: createdAt } = event;
    const uuid = this.#register.freeUuid(projectId, distinctId);
    const { properties, changes } = this.#apply({ [CREATOR]: eventUuid }, update, event);
    const person: Person = { projectId, uuid, createdAt, properties, isIdentified, version: 0 };
    const entry = newEntry(person, true);
    this.#register.add(entry);
    this.#register.setId(projectId, distinctId, uuid);
    this.#ops.push({ op: 'add_id', projectId, distinctId, personUuid: uuid });
    this.#recordHistory(uuid, changes, event);
    return entry;
  }

  /** Adds an id. Personless events may be stored under the uuid it would have had alone; an override moves them. */
  #addId(projectId: number, distinctId: string, entry: RegisterEntry): void {
    const { uuid } = entry.person;
    this.#overrides.push({ projectId, from: this.#register.freeUuid(projectId, distinctId), to: uuid });
    this.#register.setId(projectId, distinctId, uuid);
    this.#ops.push({ op: 'add_id', projectId, distinctId, personUuid: uuid });
  }

  /** Merges the source into the target, whose own values win. Returns the new target. */
  #takeOver(source: RegisterEntry, target: RegisterEntry, attempt: MergeAttempt, event: Event): Person {
    const [from, to] = [source.person, target.person];
    const { projectId, uuid: eventUuid, timestamp: at } = event;
    this.#ops.push({
      op: 'merge',
      projectId,
      kind: attempt.kind,
      source: from,
      target: to,
      targetUuid: to.uuid,
      at,
      eventUuid,
    });
    this.#overrides.push({ projectId, from: from.uuid, to: to.uuid });
    source.mergedInto = to.uuid;
    source.isChanged = true;
    const { properties, changes } = this.#apply(to.properties, { setOnce: from.properties }, event);
    this.#recordHistory(to.uuid, changes, event);
    return { ...to, properties, createdAt: Math.min(from.createdAt, to.createdAt) };
  }

  /** Updates a person; the version grows if anything changed or another person was merged in. */
  #write(entry: RegisterEntry, next: Person, update: PropertyUpdate, event: Event, isMerge = false): void {
    const { properties, changes } = this.#apply(next.properties, update, event);
    const before = entry.person;
    const isSame =
      properties === before.properties &&
      next.isIdentified === before.isIdentified &&
      next.createdAt === before.createdAt;
    if (isSame && !isMerge) return;
    entry.person = { ...next, properties, version: before.version + 1 };
    entry.isChanged = true;
    this.#recordHistory(before.uuid, changes, event);
  }

  #apply(current: JsonObject, update: PropertyUpdate, { distinctId, uuid }: Event) {
    const applied = applyProperties(current, update);
    if (applied.isTooLarge) {
      this.#warnings.push({ type: 'person_properties_size_violation', details: { distinctId, eventUuid: uuid } });
    }
    return applied;
  }

  #recordHistory(personUuid: string, changes: readonly PropertyChange[], event: Event): void {
    const { projectId, uuid: eventUuid, timestamp: at } = event;
    for (const { key, before, after } of changes) {
      if (key === CREATOR || isImplicitKey(key)) continue;
      this.#history.push({ projectId, personUuid, key, before, after, at, eventUuid });
    }
  }
}
