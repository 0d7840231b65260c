/**
 * Experience continuity: a flag with that option keeps its value when an anonymous user logs in. The identifier that
 * they were bucketed by before is kept for their person, flag by flag; the first one stays, follows the person through
 * merges, and decides from then on in place of the distinct id.
 */
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { FlagOverride, SubjectPerson, SubjectStore } from '../../../stores/metadata/subjects.ts';
import { PendingLogins } from './pending-logins.ts';

/** Flag key → identifier to bucket by. */
export type Overrides = ReadonlyMap<string, string>;

interface Login {
  projectId: number;
  distinctId: string;
  anonDistinctId: string | null;
  /** Flags with the option. */
  flagKeys: readonly string[];
}

/** Who is behind the distinct id, and who behind the anonymous one. */
export interface LoginPersons {
  own: SubjectPerson | null;
  other: SubjectPerson | null;
}

export const NO_PERSONS: LoginPersons = { own: null, other: null };

export class Continuity {
  readonly #metadata: Pick<MetadataStore, 'subjects' | 'transaction'>;
  readonly #claims = new PendingLogins();

  constructor(metadata: Pick<MetadataStore, 'subjects' | 'transaction'>) {
    this.#metadata = metadata;
  }

  /** Writes only at a login, and when the person of an earlier one has come. */
  async overridesFor(login: Login, persons: LoginPersons): Promise<Overrides> {
    const { projectId, distinctId, anonDistinctId } = login;
    const claimed = this.#claims.get(projectId, distinctId);
    if (claimed !== undefined) return this.#settle(login, persons, claimed);
    const { overrides, missing } = await findOverrides(this.#metadata.subjects, login, persons);
    if (anonDistinctId === null || missing.length === 0) return overrides;
    if (hasPerson(persons)) return this.#keep(login, anonDistinctId);
    // Nobody to keep it for. Browsers ask for flags and send `$identify` at the same time, and where anonymous users have
    // no person, this is the usual order: so it is kept as soon as there is one.
    this.#claims.add(projectId, distinctId, anonDistinctId);
    return overrideForAll(login, anonDistinctId);
  }

  /** The login that came before there was a person was the first, whatever others have come since. */
  async #settle(login: Login, persons: LoginPersons, claimed: string): Promise<Overrides> {
    if (!hasPerson(persons)) return overrideForAll(login, claimed);
    const kept = await this.#keep(login, claimed);
    if (persons.own !== null) this.#claims.delete(login.projectId, login.distinctId);
    return kept;
  }

  /** Everything is read again inside: another login or a merge may have been quicker. */
  #keep(login: Login, identifier: string): Promise<Overrides> {
    const { projectId, distinctId, anonDistinctId } = login;
    const other = anonDistinctId ?? identifier;
    return this.#metadata.transaction(async ({ subjects }) => {
      const byId = await subjects.getPersons(projectId, [distinctId, other]);
      const persons = { own: byId.get(distinctId) ?? null, other: byId.get(other) ?? null };
      const { overrides, missing } = await findOverrides(subjects, login, persons);
      const added = personIds(persons).flatMap((personId) =>
        missing.map((flagKey) => ({ personId, flagKey, identifier })),
      );
      await subjects.createOverrides(projectId, added);
      return new Map([...overrides, ...missing.map((key) => [key, identifier] as const)]);
    });
  }
}

const hasPerson = ({ own, other }: LoginPersons): boolean => own !== null || other !== null;

const overrideForAll = ({ flagKeys }: Login, identifier: string): Overrides =>
  new Map(flagKeys.map((key) => [key, identifier]));

const personIds = ({ own, other }: LoginPersons): number[] => [
  ...new Set([own, other].flatMap((person) => person?.id ?? [])),
];

/** What is kept for these persons, the one behind the distinct id first; and the flags for which nothing is. */
async function findOverrides(
  subjects: SubjectStore,
  { flagKeys }: Login,
  persons: LoginPersons,
): Promise<{ overrides: Overrides; missing: string[] }> {
  const kept = await subjects.listOverrides(personIds(persons));
  const overrides = new Map<string, string>();
  const put = ({ flagKey, identifier }: FlagOverride): unknown => overrides.set(flagKey, identifier);
  kept.filter(({ personId }) => personId !== persons.own?.id).forEach(put);
  kept.filter(({ personId }) => personId === persons.own?.id).forEach(put);
  return { overrides, missing: flagKeys.filter((key) => !overrides.has(key)) };
}
