/**
 * Finds the project of a public request. Every capture and every flag decision looks up a project key, so projects are
 * cached by key; whoever changes a project calls `invalidate`.
 */
import { Failure, invalid } from '../core/errors.ts';
import { digest } from '../lib/secrets.ts';
import type { Project } from '../stores/metadata/accounts.ts';
import { type Caller, type CallerDeps, findCallerByKey, hasProject } from './callers.ts';
import type { KeyGuard } from './key-guard.ts';

interface DirectoryDeps extends CallerDeps {
  keys: Pick<KeyGuard, 'lookUp'>;
}

const CACHE_SIZE = 10_000;

// SDKs and their users know these messages word for word: do not change them.
export const missingKey = (): Failure =>
  new Failure(
    'unauthenticated',
    'API key not provided. You can find your project API key in PostHog project settings.',
    { code: 'missing_api_key' },
  );

const invalidKey = (): Failure =>
  new Failure(
    'unauthenticated',
    'Project API key invalid. You can find your project API key in PostHog project settings.',
    {
      code: 'invalid_api_key',
    },
  );

const invalidPersonalKey = (): Failure =>
  new Failure('unauthenticated', 'Invalid Personal API key.', { code: 'invalid_personal_api_key' });

const invalidProject = (): Failure => invalid('project_id', 'Invalid Project ID.', 'invalid_project');

interface CacheEntry {
  project: Project;
  /** The generation in which its look-up began; an entry of an earlier one may be out of date. */
  generation: number;
}

export class ProjectDirectory {
  readonly #deps: DirectoryDeps;
  readonly #byToken = new Map<string, CacheEntry>();
  #generation = 0;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** Any project may have changed. The entries stay, for while the store is unavailable. */
  invalidate(): void {
    this.#generation++;
  }

  /** The project of a key that has been looked up; undefined where `getProject` has to look it up. */
  cached(key: unknown): Project | undefined {
    const entry = typeof key === 'string' ? this.#byToken.get(key) : undefined;
    return entry?.generation === this.#generation ? entry.project : undefined;
  }

  /**
   * The project of a key on a public path. With a personal key, `projectId` says which project. `address`: the caller's,
   * for counting guesses.
   */
  async getProject(key: unknown, projectId: unknown, address: string): Promise<Project> {
    if (key === undefined || key === null || key === '') throw missingKey();
    if (typeof key !== 'string') throw invalidKey();
    const cached = this.cached(key);
    if (cached) return cached;
    try {
      return await this.#find(key, projectId, address);
    } catch (cause) {
      if (cause instanceof Failure && cause.kind !== 'unavailable') throw cause;
      const outdated = this.#byToken.get(key);
      if (outdated) return outdated.project;
      throw new Failure('unavailable', 'The project could not be looked up; try again in a moment.', {
        code: 'fetch_team_fail',
        retryAfter: 2,
        cause,
      });
    }
  }

  async #find(key: string, projectId: unknown, address: string): Promise<Project> {
    const { projects } = this.#deps.metadata;
    // Read before the look-up: if the key is reset while it runs, its result must not count as current.
    const generation = this.#generation;
    const byToken = await projects.getByApiToken(key);
    this.#store(key, byToken, generation);
    if (byToken) return byToken;
    const isPersonal = key.startsWith('phx_') || isGiven(projectId);
    if (!isPersonal && !key.startsWith('phs_')) throw invalidKey();
    const owner = await this.#ownerOf(key, address);
    if (owner === null) throw isPersonal ? invalidPersonalKey() : invalidKey();
    return 'user' in owner ? this.#projectOf(owner, projectId) : owner;
  }

  /**
   * Of a secret or personal key. Guesses count as those on the private API do; beyond the limit a key is not looked up, and
   * the answer is that it is wrong: SDKs would repeat a request that is answered with 429.
   */
  async #ownerOf(key: string, address: string): Promise<Project | Caller | null> {
    const { metadata, keys } = this.#deps;
    const find = async (): Promise<Project | Caller | null> => {
      const bySecret = key.startsWith('phs_') ? await metadata.projects.getBySecretHash(digest(key)) : null;
      return bySecret ?? findCallerByKey(this.#deps, key, address);
    };
    try {
      return await keys.lookUp(key, address, find);
    } catch (error) {
      if (error instanceof Failure && error.kind === 'throttled') return null;
      throw error;
    }
  }

  #store(key: string, project: Project | null, generation: number): void {
    const known = this.#byToken.get(key);
    if (known && known.generation > generation) return;
    if (project === null) {
      this.#byToken.delete(key);
      return;
    }
    if (this.#byToken.size >= CACHE_SIZE) this.#byToken.clear();
    this.#byToken.set(key, { project, generation });
  }

  async #projectOf(caller: Caller, projectId: unknown): Promise<Project> {
    const id = isGiven(projectId) ? Number(projectId) : Number.NaN;
    const project = Number.isSafeInteger(id) ? await this.#deps.metadata.projects.get(id) : null;
    // The error does not tell whether the project exists.
    if (!project || !hasProject(caller, project)) throw invalidProject();
    return project;
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
