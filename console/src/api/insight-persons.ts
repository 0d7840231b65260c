/** The persons behind a number of an insight, and a static cohort of them. */
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

interface ActorPage {
  actors: Actor[];
  /** URL of the next page. */
  next: string | null;
  /** How many of them have been deleted since. */
  missing: number;
}

interface Response {
  results?: { people: Actor[] }[];
  result?: { person: Actor; appearances: number[] }[];
  next: string | null;
  missing_persons?: number;
}

/** URLs in responses may be absolute or relative. Only those below the project's own persons are followed. */
export function personsPath(projectId: number, url: string): string {
  const { pathname, search } = new URL(url, `${location.origin}/`);
  if (!pathname.startsWith(projectPath(projectId, 'persons'))) throw new Error('This link does not lead to persons.');
  return pathname + search;
}

/** `appears` (retention): only those who returned in this period. */
export async function listActors(
  projectId: number,
  { url, appears }: { url: string; appears?: number | undefined },
  signal?: AbortSignal,
): Promise<ActorPage> {
  const answer = await get<Response>(personsPath(projectId, url), undefined, signal);
  const returned = answer.result?.filter(({ appearances }) => appears === undefined || appearances[appears] === 1);
  const actors = returned?.map(({ person }) => person) ?? answer.results?.flatMap(({ people }) => people) ?? [];
  return { actors, next: answer.next, missing: answer.missing_persons ?? 0 };
}

export function withParameters(url: string, changes: Readonly<Record<string, string>>): string {
  const { pathname, searchParams } = new URL(url, `${location.origin}/`);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') searchParams.delete(name);
    else searchParams.set(name, value);
  }
  return `${pathname}?${searchParams}`;
}

const BATCH_SIZE = 1000;

/** Saves everyone behind a number as a static cohort, page by page. */
export async function saveAsCohort(
  projectId: number,
  name: string,
  { url, appears }: { url: string; appears?: number | undefined },
  onProgress: (count: number) => void,
): Promise<{ id: number; count: number }> {
  const limit = String(BATCH_SIZE);
  let next: string | null = withParameters(url, { limit, funnel_correlation_person_limit: limit });
  let id: number | null = null;
  let count = 0;
  while (next !== null) {
    const page: ActorPage = await listActors(projectId, { url: next, appears });
    const people = page.actors.flatMap(({ uuid }) => uuid ?? []);
    if (id === null) id = (await createCohort(projectId, name, people)).id;
    else if (people.length > 0) await addToCohort(projectId, id, people);
    count += people.length;
    onProgress(count);
    next = page.next;
  }
  return { id: id ?? 0, count };
}

const createCohort = (projectId: number, name: string, people: string[]): Promise<{ id: number }> =>
  post<{ id: number }>(projectPath(projectId, 'cohorts'), {
    name,
    is_static: true,
    _create_static_person_ids: people,
  });

const addToCohort = (projectId: number, id: number, people: string[]): Promise<unknown> =>
  patch(projectPath(projectId, 'cohorts', id), { _create_static_person_ids: people });
