/**
 * Experience continuity: a flag with that option keeps its value when an anonymous user logs in. The identifier by which
 * they were bucketed before is stored for their person, flag by flag. The first one stays, also through merges, and
 * replaces the distinct id from then on.
 */
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { FlagOverride, SubjectPerson, SubjectStore } from '../../../stores/metadata/subjects.ts';

/** Flag key → identifier to bucket by. */
export type Overrides = ReadonlyMap<string, string>;

interface Login {
  projectId: number;
  distinctId: string;
  anonDistinctId: string | null;
  /** Flags with the option on. */
  flagKeys: readonly string[];
}

/** The persons of the distinct id (`own`) and of the anonymous id (`other`). */
export interface LoginPersons {
  own: SubjectPerson | null;
  other: SubjectPerson | null;
}

export const NO_PERSONS: LoginPersons = { own: null, other: null };

export class Continuity {
  readonly #metadata: Pick<MetadataStore, 'subjects' | 'transaction'>;
  readonly #pendingLogins = new PendingLogins();

  constructor(metadata: Pick<MetadataStore, 'subjects' | 'transaction'>) {
    this.#metadata = metadata;
  }

  /** Writes only at a login, or once the person of an earlier login exists. */
  async overridesFor(login: Login, persons: LoginPersons): Promise<Overrides> {
    const { projectId, distinctId, anonDistinctId } = login;
    const pending = this.#pendingLogins.get(projectId, distinctId);
    if (pending !== undefined) return this.#storePending(login, persons, pending);
    const { overrides, missing } = await findOverrides(this.#metadata.subjects, login, persons);
    if (anonDistinctId === null || missing.length === 0) return overrides;
    if (hasPerson(persons)) return this.#storeOverrides(login, anonDistinctId);
    // There is no person yet to store it for. Browsers request flags and send `$identify` at the same time, so this is
    // the usual order where anonymous users have no person. It is stored as soon as there is one.
    this.#pendingLogins.add(projectId, distinctId, anonDistinctId);
    return overrideForAll(login, anonDistinctId);
  }

  /** The login that came before its person is the first one, whatever logins came since. */
  async #storePending(login: Login, persons: LoginPersons, pending: string): Promise<Overrides> {
    if (!hasPerson(persons)) return overrideForAll(login, pending);
    const overrides = await this.#storeOverrides(login, pending);
    if (persons.own !== null) this.#pendingLogins.delete(login.projectId, login.distinctId);
    return overrides;
  }

  /** Reads everything again in the transaction: another login or a merge may have come first. */
  #storeOverrides(login: Login, identifier: string): Promise<Overrides> {
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

/** Stored overrides, those of the own person winning; and the flags that have none. */
async function findOverrides(
  subjects: SubjectStore,
  { flagKeys }: Login,
  persons: LoginPersons,
): Promise<{ overrides: Overrides; missing: string[] }> {
  const stored = await subjects.listOverrides(personIds(persons));
  const overrides = new Map<string, string>();
  const put = ({ flagKey, identifier }: FlagOverride): unknown => overrides.set(flagKey, identifier);
  stored.filter(({ personId }) => personId !== persons.own?.id).forEach(put);
  stored.filter(({ personId }) => personId === persons.own?.id).forEach(put);
  return { overrides, missing: flagKeys.filter((key) => !overrides.has(key)) };
}

/** Logins whose person does not exist yet. In memory and bounded, since the person follows within moments. */
const MAX_PENDING = 10_000;

class PendingLogins {
  readonly #anonymousIds = new Map<string, string>();

  /** The first login of a distinct id stays. */
  add(projectId: number, distinctId: string, anonDistinctId: string): void {
    const key = keyOf(projectId, distinctId);
    if (this.#anonymousIds.has(key)) return;
    const [oldest] = this.#anonymousIds.keys();
    if (this.#anonymousIds.size >= MAX_PENDING && oldest !== undefined) this.#anonymousIds.delete(oldest);
    this.#anonymousIds.set(key, anonDistinctId);
  }

  get(projectId: number, distinctId: string): string | undefined {
    return this.#anonymousIds.size === 0 ? undefined : this.#anonymousIds.get(keyOf(projectId, distinctId));
  }

  /** To be called once the override is stored. */
  delete(projectId: number, distinctId: string): void {
    this.#anonymousIds.delete(keyOf(projectId, distinctId));
  }
}

const keyOf = (projectId: number, distinctId: string): string => `${projectId}:${distinctId}`;
