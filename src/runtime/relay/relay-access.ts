/** Whose requests a relay answers: those with a key of its project. */
import type { FastifyRequest } from 'fastify';
import { missingKey, type ProjectDirectory } from '../../access/project-directory.ts';
import { Failure } from '../../core/errors.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import type { DefinitionsAccess } from '../../features/flags/api/definitions-access.ts';
import type { Clock } from '../../lib/clock.ts';
import { digest, isSameSecret } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FollowedDefinitions } from './followed-definitions.ts';
import type { Upstream } from './upstream.ts';

interface RelayAccessDeps {
  upstream: Pick<Upstream, 'call' | 'key'>;
  definitions: Pick<FollowedDefinitions, 'project'>;
  clock: Clock;
}

const MAX_KEYS = 1000;
/** How long the server's word on a key holds. */
const KNOWN_MS = MINUTE_MS;

export class RelayAccess implements Pick<ProjectDirectory, 'getProject' | 'cached'> {
  readonly #deps: RelayAccessDeps;
  /** Digest of a key → whether it was good, and when the server said so. */
  readonly #keys = new Map<string, { isValid: boolean; at: number }>();

  constructor(deps: RelayAccessDeps) {
    this.#deps = deps;
  }

  cached(key: unknown): Project | undefined {
    const { project } = this.#deps.definitions;
    return project !== null && project.apiToken === key ? project : undefined;
  }

  async getProject(key: unknown): Promise<Project> {
    const project = this.#project();
    if (key === undefined || key === null || key === '') throw missingKey();
    const isOurs = typeof key === 'string' && (key === project.apiToken || (await this.#isSecretValid(key)));
    if (!isOurs) {
      throw new Failure('unauthenticated', 'Project API key invalid: it is not of the project of this relay.', {
        code: 'invalid_api_key',
      });
    }
    return project;
  }

  /** With a secret or personal key. */
  readonly accessDefinitions = async (request: FastifyRequest): Promise<DefinitionsAccess> => {
    const project = this.#project();
    const key = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1];
    const { token, project_id: id } = { ...(request.query as object), ...(request.params as object) } as {
      token?: unknown;
      project_id?: unknown;
    };
    if (key === undefined || !(await this.#isSecretValid(key))) {
      throw new Failure('unauthenticated', 'A secret key of the project is needed.', { code: 'not_authenticated' });
    }
    const isOther =
      (token !== undefined && token !== project.apiToken) || (id !== undefined && id !== String(project.id));
    if (isOther) throw new Failure('forbidden', 'This relay has another project.');
    return { project, credential: { id: digest(key), isValid: () => this.#isSecretValid(key) } };
  };

  #project(): Project {
    const { project } = this.#deps.definitions;
    if (project !== null) return project;
    throw new Failure('unavailable', 'This relay has not reached its server yet.', { retryAfter: 2 });
  }

  /** Other keys than its own are known to the server alone. While it is away, keys that were good stay so. */
  async #isSecretValid(key: string): Promise<boolean> {
    if (isSameSecret(key, this.#deps.upstream.key)) return true;
    if (!/^ph[sx]_[\w-]{5,100}$/.test(key)) return false;
    const name = digest(key);
    const known = this.#keys.get(name);
    if (known !== undefined && this.#deps.clock.now() - known.at < KNOWN_MS) return known.isValid;
    try {
      const { apiToken } = this.#project();
      const answer = await this.#deps.upstream.call(`/flags/definitions?token=${apiToken}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      if (answer.status >= 500 || answer.status === 429) throw new Error(String(answer.status));
      const isValid = answer.status === 200;
      if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
      this.#keys.set(name, { isValid, at: this.#deps.clock.now() });
      return isValid;
    } catch {
      return known?.isValid ?? false;
    }
  }
}
