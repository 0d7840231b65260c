/**
 * Experience continuity: a flag with that option keeps its value when an anonymous user logs in. The identifier that
 * they were bucketed by before is kept for their person, flag by flag; the first one stays, follows the person through
 * merges, and decides from then on in place of the distinct id.
 */
import type { MetadataStore } from '../stores/metadata-store.ts';
import type { FlagOverride, SubjectPerson, SubjectStore } from '../stores/subject-store.ts';
import { LateClaims } from './late-claims.ts';

/** Flag key → identifier to bucket by. */
export type Overrides = ReadonlyMap<string, string>;

export interface Login {
  projectId: number;
  distinctId: string;
  anonDistinctId: string | null;
  /** Flags with the option. */
  flagKeys: readonly string[];
}

type Persons = ReadonlyMap<string, SubjectPerson>;

export class Continuity {
  readonly #metadata: Pick<MetadataStore, 'subjects' | 'transaction'>;
  readonly #claims = new LateClaims();

  constructor(metadata: Pick<MetadataStore, 'subjects' | 'transaction'>) {
    this.#metadata = metadata;
  }

  /** `persons`: those behind the distinct id and the anonymous one, as far as there are any. Writes only at a login. */
  async overridesFor(login: Login, persons: Persons): Promise<Overrides> {
    const { projectId, distinctId } = login;
    if (login.anonDistinctId === null) {
      const claimed = persons.has(distinctId) ? this.#claims.of(projectId, distinctId) : undefined;
      if (claimed === undefined) return (await found(this.#metadata.subjects, login, persons)).overrides;
      const kept = await this.#keep({ ...login, anonDistinctId: claimed });
      this.#claims.remove(projectId, distinctId);
      return kept;
    }
    if (persons.size === 0) return this.#unknown(login, login.anonDistinctId);
    const { overrides, missing } = await found(this.#metadata.subjects, login, persons);
    return missing.length === 0 ? overrides : await this.#keep(login);
  }

  /**
   * Nobody to keep it for: it holds for this request. Browsers ask for flags and send `$identify` at the same time, and
   * where anonymous users have no person, this is the usual order: so it is kept as soon as there is one.
   */
  #unknown({ projectId, distinctId, flagKeys }: Login, anonDistinctId: string): Overrides {
    this.#claims.put(projectId, distinctId, anonDistinctId);
    return new Map(flagKeys.map((key) => [key, anonDistinctId]));
  }

  /** Everything is read again inside: another login or a merge may have been quicker. */
  #keep(login: Login): Promise<Overrides> {
    const { projectId, distinctId, anonDistinctId } = login;
    return this.#metadata.transaction(async ({ subjects }) => {
      const ids = anonDistinctId === null ? [distinctId] : [distinctId, anonDistinctId];
      const persons = await subjects.personsOf(projectId, ids);
      const { overrides, missing } = await found(subjects, login, persons);
      if (anonDistinctId === null || missing.length === 0) return overrides;
      const identifier = anonDistinctId;
      await subjects.addOverrides(
        projectId,
        personIds(persons).flatMap((personId) => missing.map((flagKey) => ({ personId, flagKey, identifier }))),
      );
      return new Map([...overrides, ...missing.map((key) => [key, identifier] as const)]);
    });
  }
}

const personIds = (persons: Persons): number[] => [...new Set([...persons.values()].map(({ id }) => id))];

/** What is kept for these persons, the one behind the distinct id first; and the flags for which nothing is. */
async function found(
  subjects: SubjectStore,
  { distinctId, flagKeys }: Login,
  persons: Persons,
): Promise<{ overrides: Overrides; missing: string[] }> {
  const own = persons.get(distinctId)?.id;
  const kept = await subjects.overridesOf(personIds(persons));
  const overrides = new Map<string, string>();
  const put = ({ flagKey, identifier }: FlagOverride): unknown => overrides.set(flagKey, identifier);
  kept.filter(({ personId }) => personId !== own).forEach(put);
  kept.filter(({ personId }) => personId === own).forEach(put);
  return { overrides, missing: flagKeys.filter((key) => !overrides.has(key)) };
}
