/**
 * Which project a public request is for. Project keys are looked up for every capture and every flag decision, so what
 * was found is remembered; whoever changes a project says so (`invalidate`).
 */
import { Failure, invalid } from '../core/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { digest } from '../lib/secrets.ts';
import type { Project } from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { findCallerByKey, levelIn } from './callers.ts';

interface DirectoryDeps {
  metadata: MetadataStore;
  clock: Clock;
}

/** More projects than this are not remembered at once. */
const CACHE_SIZE = 10_000;

// These sentences are part of the wire: SDKs and their users know them word for word.
const missingKey = (): Failure =>
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

export class ProjectDirectory {
  readonly #deps: DirectoryDeps;
  readonly #byToken = new Map<string, Project>();
  /** What was remembered before it was forgotten: for while the store is away. */
  #before: ReadonlyMap<string, Project> = new Map();

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** Everything remembered may have changed. */
  invalidate(): void {
    if (this.#byToken.size > 0) this.#before = new Map(this.#byToken);
    this.#byToken.clear();
  }

  /** The project of a key that was looked up before; undefined where `getProject` must be asked. */
  cached(key: unknown): Project | undefined {
    return typeof key === 'string' ? this.#byToken.get(key) : undefined;
  }

  /** The project that a key on a public path stands for; `projectId` tells it where the key is a person's. */
  async getProject(key: unknown, projectId: unknown): Promise<Project> {
    if (key === undefined || key === null || key === '') throw missingKey();
    if (typeof key !== 'string') throw invalidKey();
    const known = this.#byToken.get(key);
    if (known) return known;
    try {
      return await this.#find(key, projectId);
    } catch (cause) {
      if (cause instanceof Failure && cause.kind !== 'unavailable') throw cause;
      const before = this.#before.get(key);
      if (before) return before;
      throw new Failure('unavailable', 'The project could not be looked up; try again in a moment.', {
        code: 'fetch_team_fail',
        retryAfter: 2,
        cause,
      });
    }
  }

  async #find(key: string, projectId: unknown): Promise<Project> {
    const { projects } = this.#deps.metadata;
    const byToken = await projects.getByApiToken(key);
    if (byToken) return this.#remember(key, byToken);
    const bySecret = key.startsWith('phs_') ? await projects.getBySecretHash(digest(key)) : null;
    if (bySecret) return bySecret;
    return this.#byPersonalKey(key, projectId);
  }

  async #byPersonalKey(key: string, projectId: unknown): Promise<Project> {
    const isPersonal = key.startsWith('phx_') || isGiven(projectId);
    if (!isPersonal) throw invalidKey();
    const caller = await findCallerByKey(this.#deps, key);
    if (!caller) throw invalidPersonalKey();
    const id = isGiven(projectId) ? Number(projectId) : Number.NaN;
    const project = Number.isSafeInteger(id) ? await this.#deps.metadata.projects.get(id) : null;
    // A stranger's project and none at all look the same from outside.
    if (!project || levelIn(caller, project.organizationId) === null) throw invalidProject();
    return project;
  }

  #remember(key: string, project: Project): Project {
    if (this.#byToken.size >= CACHE_SIZE) this.#byToken.clear();
    this.#byToken.set(key, project);
    return project;
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
