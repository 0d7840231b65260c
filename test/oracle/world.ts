/**
 * A small data set: events, persons and groups as lists. The oracle answers questions about it in the simplest way that
 * is obviously right, however slow; engines are compared to it.
 */

import type { Entity } from '../../src/core/actions/entity.ts';
import type { Actor } from '../../src/core/actor.ts';
import type { Filter } from '../../src/core/filters/property-filter.ts';
import type { Json } from '../../src/core/json/json.ts';
import type { Range } from '../../src/core/time/range.ts';
import { isMatch, leavesOf, type Search } from './filters.ts';
import { fitsStep } from './fits-step.ts';
import { sessionOf } from './page-events.ts';
import type { Properties } from './property-values.ts';
import { type SessionRules, sessionProperties } from './sessions.ts';

export interface WorldEvent {
  uuid: string;
  event: string;
  distinctId: string;
  /** The person's uuid; null where the distinct id has no person. */
  personId: string | null;
  timestamp: number;
  properties: Readonly<Record<string, Json>>;
  /** Keys by the index of the group type. */
  groups: readonly (string | null)[];
  /** The clicked elements, as text. */
  elementsChain?: string;
}

export interface WorldPerson {
  id: number;
  uuid: string;
  createdAt: number;
  properties: Readonly<Record<string, Json>>;
  distinctIds: readonly string[];
}

interface WorldGroup {
  index: number;
  key: string;
  properties: Readonly<Record<string, Json>>;
}

export interface WorldData {
  events: readonly WorldEvent[];
  persons: readonly WorldPerson[];
  groups?: readonly WorldGroup[];
  /** Cohort → the uuids of its members. */
  cohorts?: ReadonlyMap<number, ReadonlySet<string>>;
}

/** Needs the engine for patterns of users, which must never be a `RegExp`. */
export interface WorldTools {
  search: Search;
  /** Replaces all matches; null where the pattern is invalid. */
  replace(pattern: string, text: string, alias: string): string | null;
  session: SessionRules;
}

/** Session id → properties. */
export type Sessions = ReadonlyMap<string, Properties>;

const NOTHING: Properties = {};

export class World {
  readonly events: readonly WorldEvent[];
  readonly tools: WorldTools;
  private readonly persons: ReadonlyMap<string, WorldPerson>;
  private readonly groups: ReadonlyMap<string, WorldGroup>;
  private readonly cohorts: ReadonlyMap<number, ReadonlySet<string>>;
  private ofAllTime: Sessions | undefined;

  constructor(data: WorldData, tools: WorldTools) {
    this.events = data.events.toSorted((a, b) => a.timestamp - b.timestamp || (a.uuid < b.uuid ? -1 : 1));
    this.tools = tools;
    this.persons = new Map(data.persons.map((person) => [person.uuid, person]));
    this.groups = new Map((data.groups ?? []).map((group) => [`${group.index}:${group.key}`, group]));
    this.cohorts = data.cohorts ?? new Map();
  }

  person = (uuid: string | null): WorldPerson | undefined => (uuid === null ? undefined : this.persons.get(uuid));

  isMember = (person: string | null, cohort: number | 'all'): boolean =>
    person !== null && (cohort === 'all' || this.cohorts.get(cohort)?.has(person) === true);

  group = (index: number, key: string): WorldGroup | undefined => this.groups.get(`${index}:${key}`);

  /** A filter on a person, independent of events. */
  holdsFor = (properties: Properties, filter: Filter): boolean =>
    isMatch(filter, { event: properties, person: properties, group: () => properties }, this.tools.search);

  groupProperties = (event: WorldEvent, index: number): Properties =>
    this.group(index, event.groups[index] ?? '')?.properties ?? NOTHING;

  actorOf = (event: WorldEvent, actor: Actor): string | null =>
    actor.kind === 'person' ? event.personId : event.groups[actor.index] || null;

  /** A filter on persons leaves out events without a person. */
  holds(event: WorldEvent, filter: Filter): boolean {
    const person = this.person(event.personId);
    if (person === undefined && needsPerson(filter)) return false;
    const owners = {
      event: event.properties,
      person: person?.properties ?? NOTHING,
      group: (index: number) => this.groupProperties(event, index),
      session: needsSession(filter) ? (this.allSessions().get(sessionOf(event) ?? '') ?? null) : null,
      elements: event.elementsChain ?? '',
    };
    return isMatch(filter, owners, this.tools.search, (cohort) => this.cohorts.get(cohort)?.has(event.personId ?? ''));
  }

  isOf(event: WorldEvent, entity: Entity): boolean {
    const isKind =
      entity.kind === 'event'
        ? entity.id === null || entity.id === event.event
        : entity.steps.some((step) => fitsStep(step, event, this.tools.search, (filter) => this.holds(event, filter)));
    return isKind && this.holds(event, entity.filter);
  }

  private allSessions(): Sessions {
    this.ofAllTime ??= this.sessions({ from: -Infinity, until: Infinity });
    return this.ofAllTime;
  }

  /** With only the events within a day of the range. */
  sessions = (range: Range): Sessions => sessionProperties(this.events, range, this.tools.session);
}

const needsPerson = (filter: Filter): boolean =>
  leavesOf(filter).some((leaf) => leaf.kind === 'cohort' || leaf.owner === 'person');

const needsSession = (filter: Filter): boolean =>
  leavesOf(filter).some((leaf) => leaf.kind === 'property' && leaf.owner === 'session');
