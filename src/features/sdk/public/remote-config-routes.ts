/** `/array/:token/…`: the configuration that browser SDKs since 2025 load first, as JSON and as a script. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, notFound } from '../../../core/errors.ts';
import { sendJson } from '../../../http/public/send-json.ts';
import { makeScript, type Script } from '../../../http/script.ts';
import { CACHE_BRIEFLY, isNotModified, sendScript } from '../../../http/send-script.ts';
import { digest } from '../../../lib/secrets.ts';
import { getSnapshot } from '../../flags/decide/decide.ts';
import { type RemoteConfig, remoteConfigMembers } from '../../flags/public/client-config.ts';
import type { SdkDeps } from './deps.ts';
import type { Scripts } from './scripts.ts';

/** Bundles; each takes half a megabyte. */
const CACHE_SIZE = 20;

export function remoteConfigRoutes(app: FastifyInstance, deps: SdkDeps, scripts: Scripts): void {
  const hide = { schema: { hide: true } };
  const bundles = new Bundles(scripts);
  const answers: Record<string, (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>> = {
    config: async (request, reply) => answerJson(request, reply, await configOf(deps, request)),
    'config.js': async (request, reply) => {
      const script = await makeScript(Buffer.from(asScript(await configOf(deps, request))));
      return sendScript(request, reply, script, CACHE_BRIEFLY);
    },
    'array.js': async (request, reply) =>
      sendScript(request, reply, await bundles.with(asScript(await configOf(deps, request))), CACHE_BRIEFLY),
  };
  for (const [name, answer] of Object.entries(answers)) {
    app.get(`/array/:token/${name}`, hide, answer);
    app.options(`/array/:token/${name}`, hide, async () => ({ status: 1 }));
  }
}

async function configOf(deps: SdkDeps, request: FastifyRequest): Promise<RemoteConfig> {
  const { token } = request.params as { token: string };
  const project = await deps.directory.getProject(token, undefined, request.ip).catch((error: unknown) => {
    if (error instanceof Failure && error.kind !== 'unavailable') throw notFound();
    throw error;
  });
  const { prepared } = await getSnapshot(deps.decide, project.id);
  return { token: project.apiToken, hasFeatureFlags: prepared.flags.length > 0 };
}

function answerJson(request: FastifyRequest, reply: FastifyReply, config: RemoteConfig): FastifyReply {
  const text = `{${remoteConfigMembers(config)}}`;
  const etag = `"${digest(text).slice(0, 32)}"`;
  reply.headers({ etag, 'cache-control': CACHE_BRIEFLY });
  return isNotModified(request, etag) ? reply.code(304).send() : sendJson(reply, text);
}

/** Escapes what could end a script element, or a line in old browsers. */
const scriptText = (json: string): string =>
  json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const asScript = (config: RemoteConfig): string => {
  const entry = scriptText(`{"config":{${remoteConfigMembers(config)}},"siteApps":[]}`);
  const token = scriptText(JSON.stringify(config.token));
  return (
    '(function(){var all=window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{};' +
    `all[${token}]=${entry};})();\n`
  );
};

/** The SDK with a configuration before it. Compressing takes a while, so the last ones are cached. */
class Bundles {
  readonly #scripts: Scripts;
  readonly #cache = new Map<string, Promise<Script>>();

  constructor(scripts: Scripts) {
    this.#scripts = scripts;
  }

  async with(config: string): Promise<Script> {
    const known = this.#cache.get(config);
    if (known !== undefined) return known;
    const made = this.#make(config);
    if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
    this.#cache.set(config, made);
    // A failure is not cached.
    made.catch(() => this.#cache.delete(config));
    return made;
  }

  async #make(config: string): Promise<Script> {
    const sdk = await this.#scripts.get('array.js');
    if (sdk === undefined) throw notFound();
    return makeScript(Buffer.concat([Buffer.from(config), sdk.plain]));
  }
}
