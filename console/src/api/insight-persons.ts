/** The persons behind a number, by the address that came with it; and a cohort of them. */
import { get, patch, post, projectPath } from './request.ts';

export interface Actor {
  /** Persons have a UUID; groups have a key. */
  type?: 'person' | 'group';
  uuid?: string;
  id: string | number;
  name?: string;
  distinct_ids?: string[];
  group_key?: string;
  created_at: string;
  properties: Record<string, unknown>;
  value_at_data_point?: number | null;
}

export interface ActorPage {
  actors: Actor[];
  /** Where the next ones are. */
  next: string | null;
  /** How many were counted and have since been deleted. */
  missing: number;
}

interface Answer {
  results?: { people: Actor[] }[];
  result?: { person: Actor; appearances: number[] }[];
  next: string | null;
  missing_persons?: number;
}

/**
 * Addresses in answers are whole, from the root, or neither. Only what is below the project's own persons is followed,
 * whatever an answer says.
 */
export function peoplePath(projectId: number, url: string): string {
  const { pathname, search } = new URL(url, `${location.origin}/`);
  if (!pathname.startsWith(projectPath(projectId, 'persons'))) throw new Error('That address leads to no persons.');
  return pathname + search;
}

/** `appears`: of a retention, only those who were there again so many periods after they came. */
export async function readPeople(
  projectId: number,
  { url, appears }: { url: string; appears?: number | undefined },
  signal?: AbortSignal,
): Promise<ActorPage> {
  const answer = await get<Answer>(peoplePath(projectId, url), undefined, signal);
  const returned = answer.result?.filter(({ appearances }) => appears === undefined || appearances[appears] === 1);
  const actors = returned?.map(({ person }) => person) ?? answer.results?.flatMap(({ people }) => people) ?? [];
  return { actors, next: answer.next, missing: answer.missing_persons ?? 0 };
}

/** The same people with other parameters, such as `search` or `limit`. */
export function withParameters(url: string, changes: Readonly<Record<string, string>>): string {
  const { pathname, searchParams } = new URL(url, `${location.origin}/`);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') searchParams.delete(name);
    else searchParams.set(name, value);
  }
  return `${pathname}?${searchParams}`;
}

const AT_ONCE = 1000;

/** A static cohort of everybody behind a number, page by page. `onProgress` hears how many are in it. */
export async function saveAsCohort(
  projectId: number,
  name: string,
  { url, appears }: { url: string; appears?: number | undefined },
  onProgress: (count: number) => void,
): Promise<{ id: number; count: number }> {
  const limit = String(AT_ONCE);
  let next: string | null = withParameters(url, { limit, funnel_correlation_person_limit: limit });
  let id: number | null = null;
  let count = 0;
  while (next !== null) {
    const page: ActorPage = await readPeople(projectId, { url: next, appears });
    const people = page.actors.flatMap(({ uuid }) => uuid ?? []);
    if (id === null) id = (await begin(projectId, name, people)).id;
    else if (people.length > 0) await add(projectId, id, people);
    count += people.length;
    onProgress(count);
    next = page.next;
  }
  return { id: id ?? 0, count };
}

const begin = (projectId: number, name: string, people: string[]): Promise<{ id: number }> =>
  post<{ id: number }>(projectPath(projectId, 'cohorts'), {
    name,
    is_static: true,
    _create_static_person_ids: people,
  });

const add = (projectId: number, id: number, people: string[]): Promise<unknown> =>
  patch(projectPath(projectId, 'cohorts', id), { _create_static_person_ids: people });
