/** Reads the query parameters of the list of events, and writes the link to its next page. */

import type { ActionDefinition } from '../../../core/actions/entity.ts';
import { Failure, invalid } from '../../../core/errors.ts';
import { isUuid } from '../../../core/events/uuid.ts';
import { parseFilters } from '../../../core/filters/parse-filters.ts';
import { parseId } from '../../../core/parse-id.ts';
import { parseMoment } from '../../../core/time/parse-date.ts';
import { readFormat } from '../../../http/format.ts';
import { type Query, queryText, queryTexts, withQuery } from '../../../http/paging.ts';
import { isoOffset } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { EventPersonStore } from '../../../stores/metadata/event-records.ts';
import type { EventPage, EventQuestion } from '../list-events.ts';

/** Allows for clocks that are a little fast; events further ahead are hidden until then. */
const MAX_CLOCK_AHEAD_MS = 5000;
const LIMITS = { json: { usual: 100, most: 1000 }, csv: { usual: 3500, most: 100_000 } } as const;

export async function readEventQuestion(
  persons: EventPersonStore,
  { id: projectId, timezone }: Pick<Project, 'id' | 'timezone'>,
  query: Query,
  now: number,
  action: (id: number) => ActionDefinition | undefined,
): Promise<EventQuestion> {
  const { usual, most } = LIMITS[readFormat(query)];
  return {
    projectId,
    timezone,
    event: given(query, 'event'),
    distinctId: given(query, 'distinct_id'),
    person: await readPerson(persons, projectId, given(query, 'person_id')),
    before: readMoment(query, 'before', now) ?? now + MAX_CLOCK_AHEAD_MS,
    after: readMoment(query, 'after', now),
    filter: parseFilters(queryTexts(query, 'properties'), { expressions: 'events' }),
    steps: readSteps(given(query, 'action_id'), action),
    newestFirst: readNewestFirst(given(query, 'orderBy')),
    limit: Math.min(wholeNumber(query, 'limit') || usual, most),
    offset: wholeNumber(query, 'offset'),
  };
}

function readSteps(id: string | undefined, action: (id: number) => ActionDefinition | undefined) {
  if (id === undefined) return null;
  const number = parseId(id);
  const found = number === null ? undefined : action(number);
  if (!found) throw invalid('action_id', `There is no action ${JSON.stringify(id.slice(0, 60))}.`);
  return found.steps;
}

/** Empty counts as absent, as in forms. */
const given = (query: Query, name: string): string | undefined => queryText(query, name) || undefined;

/** Invalid numbers count as absent, as in every list. */
function wholeNumber(query: Query, name: string): number {
  const number = Number(queryText(query, name));
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

function readMoment(query: Query, name: 'before' | 'after', now: number): number | undefined {
  const text = given(query, name);
  if (text === undefined) return undefined;
  const moment = parseMoment(text, now);
  if (moment === undefined) {
    throw invalid(name, `Not a moment: ${JSON.stringify(text.slice(0, 100))}. Use ISO 8601, or how long ago: 5d, 2h.`);
  }
  return moment;
}

function readNewestFirst(text: string | undefined): boolean {
  if (text === undefined) return true;
  const [first, ...rest] = readList(text);
  if (first === undefined || first === '-timestamp') return true;
  if (first === 'timestamp' && rest.length === 0) return false;
  throw badOrder();
}

function readList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch (cause) {
    throw new Failure('invalid', badOrder().message, { attr: 'orderBy', cause });
  }
  throw badOrder();
}

const badOrder = (): Failure => invalid('orderBy', 'Events are ordered by ["-timestamp"] or ["timestamp"].');

/** No person has this id. */
const NO_PERSON = '00000000-0000-0000-0000-000000000000';

async function readPerson(
  persons: EventPersonStore,
  projectId: number,
  id: string | undefined,
): Promise<string | undefined> {
  if (id === undefined || isUuid(id)) return id?.toLowerCase();
  const number = parseId(id);
  return (number === null ? null : await persons.getUuid(projectId, number)) ?? NO_PERSON;
}

/**
 * The next page begins at the time of the last event. Where more events have that very time, it includes the time and
 * skips those that were shown; otherwise they would be missing on both pages.
 */
export function nextLink(url: URL, question: EventQuestion, { events: shown, next }: EventPage): string | null {
  const last = shown.at(-1);
  if (last === undefined || next === null) return null;
  const { bound, step } = question.newestFirst
    ? ({ bound: 'before', step: 1 } as const)
    : ({ bound: 'after', step: -1 } as const);
  if (next.timestamp !== last.timestamp) {
    return withQuery(url, { [bound]: isoOffset(last.timestamp), offset: null });
  }
  const ties = shown.filter(({ timestamp }) => timestamp === last.timestamp).length;
  // All events of the page have this time, and some before them were skipped, which may have it too: count on.
  if (ties === shown.length && question.offset > 0) return withQuery(url, { offset: question.offset + ties });
  return withQuery(url, { [bound]: isoOffset(last.timestamp + step), offset: ties });
}

/** An event's UUID in a path; hyphens may be missing. */
export function readEventUuid(text = ''): string {
  const uuid = /^[0-9a-f]{32}$/i.test(text) ? text.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5') : text;
  if (!isUuid(uuid)) throw new Failure('invalid', 'Invalid UUID', { code: 'invalid' });
  return uuid.toLowerCase();
}
