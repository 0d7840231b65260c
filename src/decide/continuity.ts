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

/** Who is behind the distinct id, and who behind the anonymous one. */
export interface Persons {
  own: SubjectPerson | null;
  other: SubjectPerson | null;
}

export const NOBODY: Persons = { own: null, other: null };

export class Continuity {
  readonly #metadata: Pick<MetadataStore, 'subjects' | 'transaction'>;
  readonly #claims = new LateClaims();

  constructor(metadata: Pick<MetadataStore, 'subjects' | 'transaction'>) {
    this.#metadata = metadata;
  }

  /** Writes only at a login. */
  async overridesFor(login: Login, persons: Persons): Promise<Overrides> {
    const { projectId, distinctId, anonDistinctId } = login;
    const { subjects } = this.#metadata;
    if (anonDistinctId === null) {
      const claimed = persons.own === null ? undefined : this.#claims.of(projectId, distinctId);
      if (claimed === undefined) return (await found(subjects, login, persons)).overrides;
      const kept = await this.#keep(login, claimed);
      this.#claims.remove(projectId, distinctId);
      return kept;
    }
    if (persons.own === null && persons.other === null) return this.#unknown(login, anonDistinctId);
    const { overrides, missing } = await found(subjects, login, persons);
    return missing.length === 0 ? overrides : await this.#keep(login, anonDistinctId);
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
  #keep(login: Login, identifier: string): Promise<Overrides> {
    const { projectId, distinctId } = login;
    return this.#metadata.transaction(async ({ subjects }) => {
      const byId = await subjects.personsOf(projectId, [distinctId, identifier]);
      const persons = { own: byId.get(distinctId) ?? null, other: byId.get(identifier) ?? null };
      const { overrides, missing } = await found(subjects, login, persons);
      const added = personIds(persons).flatMap((personId) =>
        missing.map((flagKey) => ({ personId, flagKey, identifier })),
      );
      await subjects.addOverrides(projectId, added);
      return new Map([...overrides, ...missing.map((key) => [key, identifier] as const)]);
    });
  }
}

const personIds = ({ own, other }: Persons): number[] => [
  ...new Set([own, other].flatMap((person) => person?.id ?? [])),
];

/** What is kept for these persons, the one behind the distinct id first; and the flags for which nothing is. */
async function found(
  subjects: SubjectStore,
  { flagKeys }: Login,
  persons: Persons,
): Promise<{ overrides: Overrides; missing: string[] }> {
  const kept = await subjects.overridesOf(personIds(persons));
  const overrides = new Map<string, string>();
  const put = ({ flagKey, identifier }: FlagOverride): unknown => overrides.set(flagKey, identifier);
  kept.filter(({ personId }) => personId !== persons.own?.id).forEach(put);
  kept.filter(({ personId }) => personId === persons.own?.id).forEach(put);
  return { overrides, missing: flagKeys.filter((key) => !overrides.has(key)) };
}
