/**
 * A relay: holds the flags of one project of a server elsewhere and answers for it, near its clients and while the server
 * is away. It has no stores: a copy of the definitions, and a log of the events that it still has to send on.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import { Failure, notFound } from '../../core/errors.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { SigningSecret } from '../../features/accounts/signing-secret.ts';
import { captureRoutes } from '../../features/capture/public/capture-routes.ts';
import { captureV1Routes } from '../../features/capture/public/capture-v1-routes.ts';
import { cspReportRoutes } from '../../features/capture/public/csp-report-routes.ts';
import type { CaptureDeps } from '../../features/capture/public/deps.ts';
import { segmentRoutes } from '../../features/capture/public/segment-routes.ts';
import { definitionStreamRoutes } from '../../features/flags/api/definition-stream-routes.ts';
import { localEvaluationRoutes } from '../../features/flags/api/local-evaluation-routes.ts';
import { Continuity } from '../../features/flags/decide/continuity.ts';
import type { DecideDeps } from '../../features/flags/decide/decide.ts';
import type { FlagSnapshot } from '../../features/flags/decide/flag-snapshots.ts';
import { RecentDecisions } from '../../features/flags/decide/recent-decisions.ts';
import { decideRoutes } from '../../features/flags/public/decide-routes.ts';
import type { FlagPublicDeps } from '../../features/flags/public/deps.ts';
import { flagsRoutes } from '../../features/flags/public/flags-routes.ts';
import { ofrepRoutes } from '../../features/flags/public/ofrep/ofrep-routes.ts';
import { ofrepStreamRoutes } from '../../features/flags/public/ofrep/ofrep-stream-routes.ts';
import { ChannelTokens } from '../../features/flags/streams/channel-tokens.ts';
import { FlagStreams } from '../../features/flags/streams/flag-streams.ts';
import { FlagUsage } from '../../features/flags/usage/flag-usage.ts';
import { Geoip } from '../../features/geoip/geoip.ts';
import { Admission } from '../../http/admission/admission.ts';
import { logRequests, requestLogger } from '../../http/request-log.ts';
import { type Clock, type ClockMemory, clockOn, makeClockMemory } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import { openMetrics } from '../../lib/metrics.ts';
import type { LogState } from '../../stores/ingest/ingest-log.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { openIngestLog } from '../../stores/segment-log/ingest-log.ts';
import { openIngestLogReader } from '../../stores/segment-log/ingest-log-reader.ts';
import { VERSION } from '../../version.ts';
import { builtFile } from '../built-file.ts';
import { type CloseList, closeAll } from '../close-list.ts';
import { newServer, takePublicBodies } from '../new-server.ts';
import { AskUpstream } from './ask-upstream.ts';
import { DefinitionsCopy } from './definitions-copy.ts';
import { FollowedDefinitions } from './followed-definitions.ts';
import { Forwarder } from './forwarder.ts';
import { journalEvents } from './journal-events.ts';
import { RelayAccess } from './relay-access.ts';
import { relayUsage } from './relay-usage.ts';
import { Upstream } from './upstream.ts';

interface RelayOptions {
  config: Config;
  log: Logger;
  clockMemory?: ClockMemory;
}

interface RelayApp {
  /** Starts to listen; the address it ended up with. */
  listen(): Promise<string>;
  close(): Promise<void>;
  /** Sends the counts of evaluations now; for tests. */
  flushUsage(): Promise<void>;
}

const COPY_FILE = 'relay-definitions.json';
const LOG_FOLDER = 'relay-log';
const SECRET_FILE = 'relay-stream-secret';
/** After which answers say how old the definitions are. */
const STALE_SECONDS = 60;

export async function openRelay({ config, log, clockMemory = makeClockMemory() }: RelayOptions): Promise<RelayApp> {
  const toClose: CloseList = [];
  try {
    return await build(config, log, clockOn(clockMemory), toClose);
  } catch (error) {
    await closeAll(toClose);
    throw error;
  }
}

async function build(config: Config, log: Logger, clock: Clock, toClose: CloseList): Promise<RelayApp> {
  const { upstreamUrl, upstreamKey, dataDir } = config;
  if (upstreamUrl === null || upstreamKey === null) throw new Error('A relay needs UPSTREAM_URL and UPSTREAM_KEY.');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const ids = randomIds;
  const metrics = openMetrics();
  const upstream = new Upstream({ url: upstreamUrl, key: upstreamKey });
  toClose.push(async () => upstream.close());
  const copy = new DefinitionsCopy(join(dataDir, COPY_FILE));
  const geoip = new RelayPlaces(config, log);
  toClose.push(() => geoip.close());
  const beforeUse = (snapshot: FlagSnapshot): Promise<void> => geoip.openFor(snapshot);
  const definitions = new FollowedDefinitions({ upstream, copy, beforeUse, clock, log });
  const access = new RelayAccess({ upstream, definitions, clock });
  const folder = join(dataDir, LOG_FOLDER);
  const journal = await openIngestLog(folder, { maxBytes: config.ingestLogMaxBytes });
  toClose.push(() => journal.close());
  const reader = openIngestLogReader(folder, journal.head);
  const projectKey = (): string | null => definitions.project?.apiToken ?? null;
  const forwarder = new Forwarder({ upstream, journal, reader, projectKey, log }, firstWaiting(journal.state()));
  toClose.push(() => forwarder.stop());
  const asking = new AskUpstream({ upstream, clock, log });
  const usage = new FlagUsage({ metadata: relayUsage(upstream), clock, ids, log });
  const schedule = usage.start();
  toClose.push(() => schedule.stop());
  const flagStreams = new FlagStreams({ source: definitions, flagSnapshots: definitions, clock, log, config });
  const secret = new SigningSecret({ metadata: { installation: secretFile(dataDir) }, ids }, SECRET_FILE);
  const deps = {
    config,
    log,
    clock,
    ids,
    directory: access,
    admission: new Admission(config, metrics.registry),
    logAnswer: requestLogger({ metrics, log }),
    decide: decideDeps(config, definitions, asking, clock, log),
    flagUsage: {
      record: (...[projectId, decision, source]: Parameters<FlagUsage['record']>) => {
        if (!asking.wasAsked(decision)) usage.record(projectId, decision, source);
      },
    },
    // Who a visitor without cookies is, only the server can tell: here each request is about another.
    cookieless: { distinctId: async () => undefined },
    geoip,
    flagStreams,
    channelTokens: new ChannelTokens({ clock, secret }),
    logEvents: (...args: Parameters<CaptureDeps['logEvents']>) =>
      journalEvents({ journal, ids, onAccepted: () => forwarder.wake() }, ...args),
  };
  const server = newServer(deps, config);
  logRequests(server, deps.logAnswer);
  server.addHook('onRequest', async (_request, reply) => {
    const stale = definitions.staleSeconds();
    if (stale !== null && stale > STALE_SECONDS) reply.header('x-cairn-stale', String(stale));
  });
  server.decorateRequest('project', null);
  // Schemas are for the API document, which is the server's.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => (answer) => stringifyExact(answer));
  await server.register((api, _options, done) => {
    const reading = { flagStreams, flagSnapshots: definitions, accessDefinitions: access.accessDefinitions };
    localEvaluationRoutes(api, reading);
    definitionStreamRoutes(api, reading);
    done();
  });
  await server.register((api, _options, done) => {
    takePublicBodies(api, deps);
    flagRoutes(api, deps);
    for (const addRoutes of [captureRoutes, captureV1Routes, cspReportRoutes, segmentRoutes]) addRoutes(api, deps);
    api.post('/flags/usage', async (request, reply) => {
      await access.accessDefinitions(request);
      const { status, text } = await upstream.post('/flags/usage', request.body);
      return reply.code(status).type('application/json; charset=utf-8').send(text);
    });
    done();
  });
  statusRoutes(server, { definitions, forwarder, journal, metrics, upstreamUrl });
  server.setNotFoundHandler(() => {
    throw notFound('This is a relay (ROLE=relay): it answers for flags and events only.');
  });
  toClose.push(() => server.close());
  await definitions.open();
  toClose.push(async () => definitions.close());
  forwarder.start();
  return {
    listen: () => server.listen({ host: config.host, port: config.port }),
    close: () => closeAll(toClose),
    flushUsage: () => usage.flush(),
  };
}

/** The table of countries takes as much memory as the rest of a relay, and few flags ask where a request comes from. */
class RelayPlaces {
  readonly #config: Config;
  readonly #log: Logger;
  #geoip: Geoip | null = null;

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  async openFor({ prepared }: FlagSnapshot): Promise<void> {
    if (!prepared.needs.hasPlace || this.#geoip !== null) return;
    this.#geoip = await Geoip.open({
      shippedCountries: builtFile('countries.br'),
      ownCountries: join(this.#config.dataDir, 'countries.br'),
      cityFile: this.#config.geoipFile,
      logger: this.#log,
    });
  }

  placeOf(address: string): JsonObject | null {
    return this.#geoip?.placeOf(address) ?? null;
  }

  close(): void {
    this.#geoip?.close();
  }
}

/** Entries are numbered without gaps. */
const firstWaiting = ({ head, entries }: LogState): number => head - entries;

function flagRoutes(api: FastifyInstance, deps: FlagPublicDeps): void {
  decideRoutes(api, deps);
  flagsRoutes(api, deps);
  ofrepRoutes(api, deps);
  ofrepStreamRoutes(api, deps);
}

function decideDeps(
  { relayFallthrough }: Config,
  definitions: FollowedDefinitions,
  asking: AskUpstream,
  clock: Clock,
  log: Logger,
): DecideDeps {
  const subjects = relayFallthrough === 'ask' ? UNREADABLE : UNKNOWN;
  const metadata = { subjects } as unknown as MetadataStore;
  return {
    metadata,
    flagSnapshots: definitions,
    writes: { settled: () => undefined },
    recentDecisions: new RecentDecisions(),
    continuity: new Continuity(metadata),
    clock,
    onReadError: (err) => log.debug({ err }, 'flags that depend on stored data could not be evaluated'),
    ...(relayFallthrough === 'ask' ? { ask: (...args: Parameters<AskUpstream['ask']>) => asking.ask(...args) } : {}),
  };
}

/** The server is away: flags that need a stored person fail, as they do on a server that cannot read one. */
const unreadable = async (): Promise<never> => {
  throw new Failure('unavailable', 'The server of this relay cannot be reached.');
};
const UNREADABLE = {
  getPerson: unreadable,
  getPersons: unreadable,
  listCohortsWith: unreadable,
  listGroups: unreadable,
  listOverrides: unreadable,
};

/** Nothing is stored about anybody. */
const UNKNOWN = {
  getPerson: () => null,
  getPersons: async () => new Map(),
  listCohortsWith: async () => [],
  listGroups: async () => [],
  listOverrides: async () => [],
};

/** A secret of this relay, made when it is first needed. */
const secretFile = (dataDir: string): MetadataStore['installation'] =>
  ({
    async getOrAdd(name: string, value: string): Promise<string> {
      const file = join(dataDir, name);
      try {
        await writeFile(file, value, { mode: 0o600, flag: 'wx', flush: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      return readFile(file, 'utf8');
    },
  }) as MetadataStore['installation'];

interface RelayStatus {
  definitions: FollowedDefinitions;
  forwarder: Forwarder;
  journal: { state(): { events: number; bytes: number; accepted: number } };
  metrics: ReturnType<typeof openMetrics>;
  upstreamUrl: string;
}

/** Open to everyone who can reach it: it says nothing about flags or persons. */
function statusRoutes(
  app: FastifyInstance,
  { definitions, forwarder, journal, metrics, upstreamUrl }: RelayStatus,
): void {
  app.get('/_livez', async () => ({ status: 'ok' }));
  for (const path of ['/_readyz', '/_health']) {
    app.get(path, async (_request, reply) =>
      definitions.project === null ? reply.code(503).send({ status: 'unavailable' }) : { status: 'ok' },
    );
  }
  app.get('/_status', async () => {
    const { events, bytes, accepted } = journal.state();
    return {
      role: 'relay',
      version: VERSION,
      upstream: new URL(upstreamUrl).origin,
      definitions_version: definitions.version,
      stale_seconds: definitions.staleSeconds(),
      events: {
        accepted,
        waiting: events,
        waiting_bytes: bytes,
        forwarded: forwarder.forwarded,
        refused: forwarder.rejected,
      },
    };
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
