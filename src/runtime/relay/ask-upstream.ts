/**
 * Decisions that depend on what only the server has: stored properties of persons and groups, members of static cohorts,
 * values that a user keeps. The server is asked, and its answer is good for a minute; while it is away, for an hour.
 */
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { DecideRequest } from '../../features/flags/decide/decide-request.ts';
import type { Decision } from '../../features/flags/decide/decision.ts';
import type { FlagSnapshot } from '../../features/flags/decide/flag-snapshots.ts';
import { needsStoredPerson } from '../../features/flags/decide/load-subject.ts';
import type { EvaluationReason, FlagEvaluation } from '../../features/flags/rules/flag-evaluation.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Upstream } from './upstream.ts';

interface AskDeps {
  upstream: Pick<Upstream, 'post' | 'key'>;
  clock: Clock;
  log: Logger;
}

interface Known {
  decision: Decision;
  at: number;
}

const MAX_ANSWERS = 10_000;
const TIMEOUT_MS = 3000;
const RETRY_DELAY_MS = SECOND_MS;

export class AskUpstream {
  readonly #deps: AskDeps;
  /** By what was asked, for one snapshot of the definitions; the oldest first. */
  #answers = new Map<string, Known>();
  #snapshot: FlagSnapshot | null = null;
  readonly #running = new Map<string, Promise<Decision | null>>();
  readonly #asked = new WeakSet<Decision>();
  #unavailableUntil = 0;

  constructor(deps: AskDeps) {
    this.#deps = deps;
  }

  /** Undefined: nothing that is stored can change a value. */
  ask(_projectId: number, snapshot: FlagSnapshot, request: DecideRequest): Promise<Decision | null> | undefined {
    const { needs } = snapshot.prepared;
    const needsGroups = needs.groupTypes.size > 0 && request.groups.size > 0;
    if (!needsGroups && !needsStoredPerson(needs, request)) return undefined;
    if (this.#snapshot !== snapshot) {
      this.#snapshot = snapshot;
      this.#answers = new Map();
    }
    const body = stringifyExact(questionOf(this.#deps.upstream.key, request));
    const known = this.#answers.get(body);
    const now = this.#deps.clock.now();
    if (known !== undefined && now - known.at < MINUTE_MS) return Promise.resolve(known.decision);
    if (now < this.#unavailableUntil) return Promise.resolve(this.#lastKnown(known));
    const running = this.#running.get(body) ?? this.#askNow(snapshot, body, known);
    this.#running.set(body, running);
    return running;
  }

  /** Whether the server made it, and has counted it. */
  wasAsked(decision: Decision): boolean {
    return this.#asked.has(decision);
  }

  async #askNow(snapshot: FlagSnapshot, body: string, known: Known | undefined): Promise<Decision | null> {
    const { upstream, clock, log } = this.#deps;
    try {
      const { status, text } = await upstream.post('/flags/?v=2', body, { timeoutMs: TIMEOUT_MS });
      if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
      const decision = decisionOf(snapshot, parseExact(text));
      this.#asked.add(decision);
      if (this.#snapshot === snapshot) this.#remember(body, { decision, at: clock.now() });
      return decision;
    } catch (err) {
      log.warn({ err }, 'the server could not be asked; flags that depend on stored data fail or are as last heard');
      this.#unavailableUntil = clock.now() + RETRY_DELAY_MS;
      return this.#lastKnown(known);
    } finally {
      this.#running.delete(body);
    }
  }

  #lastKnown(known: Known | undefined): Decision | null {
    return known !== undefined && this.#deps.clock.now() - known.at < HOUR_MS ? known.decision : null;
  }

  #remember(body: string, known: Known): void {
    const [oldest] = this.#answers.keys();
    this.#answers.delete(body);
    if (this.#answers.size >= MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(body, known);
  }
}

function questionOf(key: string, request: DecideRequest): JsonObject {
  const runtime = request.runtime();
  return {
    token: key,
    distinct_id: request.distinctId,
    ...(request.anonDistinctId === null ? {} : { $anon_distinct_id: request.anonDistinctId }),
    ...(request.deviceId === null ? {} : { device_id: request.deviceId }),
    person_properties: request.personProperties as JsonObject,
    groups: Object.fromEntries(request.groups),
    group_properties: Object.fromEntries(request.groupProperties) as JsonObject,
    ...(request.flagKeys === null ? {} : { flag_keys: [...request.flagKeys] }),
    ...(runtime === 'client' || runtime === 'server' ? { evaluation_runtime: runtime } : {}),
    // The address is that of the relay; where it matters, the place is among the properties.
    geoip_disable: true,
  };
}

function decisionOf(snapshot: FlagSnapshot, answer: Json): Decision {
  const flags = isJsonObject(answer) ? answer['flags'] : undefined;
  if (!isJsonObject(answer) || !isJsonObject(flags)) throw new Error('the server sent no flags');
  const evaluations = Object.values(flags).filter(isJsonObject).map(evaluationOf);
  return { evaluations, hasErrors: answer['errorsWhileComputingFlags'] === true, snapshot };
}

function evaluationOf(flag: JsonObject): FlagEvaluation {
  const reason = (flag['reason'] ?? {}) as JsonObject;
  const metadata = (flag['metadata'] ?? {}) as JsonObject;
  const isFailed = flag['failed'] === true;
  return {
    key: String(flag['key']),
    id: Number(metadata['id']),
    version: Number(metadata['version']),
    value: typeof flag['variant'] === 'string' ? flag['variant'] : flag['enabled'] === true,
    reason: reason['code'] as EvaluationReason,
    conditionIndex: (reason['condition_index'] as number | null | undefined) ?? null,
    payload: metadata['payload'] ?? undefined,
    failure: isFailed ? 'The server could not evaluate the flag.' : null,
    hasExperiment: metadata['has_experiment'] === true,
  };
}
