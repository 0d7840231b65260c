/** The people behind a number of a journey, as a page of them is shown. */

import type { Actor } from '../../../core/actor.ts';
import type { Json } from '../../../core/json/json.ts';
import { toCsv } from '../../../http/csv.ts';
import { readFormat } from '../../../http/format.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { PersonContext } from '../../persons/api/person-route.ts';
import { presentListedPerson } from '../../persons/api/person-schemas.ts';
import type { JourneyPeopleQuestion } from '../rules/answer-types.ts';
import type { InsightApiDeps } from './deps.ts';
import { startQuery } from './run-query.ts';
import type { PageNames } from './sequence-request.ts';
import { presentGroupActor } from './sequence-schemas.ts';

/** Distinct ids of one person that are shown here. */
const LISTED_IDS = 1000;

interface PeopleRequest {
  question: JourneyPeopleQuestion;
  actor: Actor;
  page: Page;
  names: PageNames;
}

/** Answers with a page of people; as CSV with nothing but them. */
export async function sendPeople(
  deps: InsightApiDeps,
  { project, query, url, reply }: PersonContext<unknown>,
  { question, actor, page, names }: PeopleRequest,
) {
  const asking = startQuery(deps, { project, reply }, {});
  const actors = await asking.uncached((own) => own.answerQuestion(project.id, question, page));
  const people = await showActors(deps, project.id, actor, actors);
  if (readFormat(query) === 'csv') {
    return reply.type('text/csv; charset=utf-8').send(toCsv(people as unknown as Json[]));
  }
  const next = encoded(url);
  next.searchParams.set(names.offset, String(page.offset + page.limit));
  return {
    results: [{ people, count: people.length }],
    // A page that is exactly full may be the last one: it has a link to the next all the same.
    next: actors.length >= page.limit ? next.toString() : null,
    initial: encoded(url).toString(),
    missing_persons: actors.length - people.length,
    ...asking.freshness(),
  };
}

/** Callers may leave brackets and quotes in an address as they are; an answer does not. */
function encoded(url: URL): URL {
  const whole = new URL(url);
  whole.search = whole.searchParams.toString();
  return whole;
}

/** As they are now; those who are no longer there are missing. */
const showActors = (deps: InsightApiDeps, projectId: number, actor: Actor, actors: readonly string[]) =>
  actor.kind === 'person' ? showPersons(deps, projectId, actors) : showGroups(deps, projectId, actor.index, actors);

async function showPersons({ metadata }: InsightApiDeps, projectId: number, uuids: readonly string[]) {
  const numbers = await metadata.cohortMembers.listPersonIdsByUuid(projectId, uuids);
  const persons = await metadata.persons.listByIds(projectId, numbers);
  const ids = await metadata.persons.listDistinctIds(
    persons.map(({ id }) => id),
    LISTED_IDS,
  );
  return persons.map((person) => presentListedPerson(person, ids.get(person.id) ?? []));
}

async function showGroups({ metadata }: InsightApiDeps, projectId: number, index: number, keys: readonly string[]) {
  const groups = await Promise.all(keys.map((key) => metadata.groups.get(projectId, index, key)));
  return groups.flatMap((group) => (group === null ? [] : [presentGroupActor(group)]));
}
