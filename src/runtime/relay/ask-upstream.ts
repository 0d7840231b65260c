/**
 * Decisions that depend on what only the server has: stored properties of persons and groups, members of static cohorts,
 * values that a user keeps. The server is asked, and its answer is good for a minute; while it is away, for an hour.
 * Questions at a time and answers in memory are limited, so that many users cannot exhaust the relay or flood the server.
 */
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { DecideRequest } from '../../features/flags/decide/decide-request.ts';
import type { Decision } from '../../features/flags/decide/decision.ts';
import type { FlagSnapshot } from '../../features/flags/decide/flag-snapshots.ts';
import { needsStoredPerson } from '../../features/flags/decide/load-subject.ts';
import { needsOfFlag } from '../../features/flags/decide/needs-of-flag.ts';
import type { Needs } from '../../features/flags/rules/compile/prepared-flags.ts';
import type { EvaluationReason, FlagEvaluation } from '../../features/flags/rules/flag-evaluation.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { digest } from '../../lib/secrets.ts';
import type { Upstream } from './upstream.ts';

interface AskDeps {
  upstream: Pick<Upstream, 'post' | 'key'>;
  clock: Clock;
  log: Logger;
}

interface Question {
  name: string;
  body: string;
}

interface Known {
  decision: Decision;
  at: number;
}

/** About 30 MB. */
const MAX_EVALUATIONS = 100_000;
const MAX_QUESTIONS = 500;
const TIMEOUT_MS = 3000;
const RETRY_DELAY_MS = SECOND_MS;

export class AskUpstream {
  readonly #deps: AskDeps;
  /** By what was asked, for one snapshot of the definitions; the oldest first. */
  #answers = new Map<string, Known>();
  /** How many evaluations the answers have. */
  #evaluations = 0;
  #snapshot: FlagSnapshot | null = null;
  readonly #running = new Map<string, Promise<Decision | null>>();
  readonly #asked = new WeakSet<Decision>();
  #unavailableUntil = 0;

  constructor(deps: AskDeps) {
    this.#deps = deps;
  }

  /** Undefined: nothing that is stored can change a value. */
  ask(_projectId: number, snapshot: FlagSnapshot, request: DecideRequest): Promise<Decision | null> | undefined {
    if (!dependsOnStored(snapshot, request)) return undefined;
    if (this.#snapshot !== snapshot) {
      this.#snapshot = snapshot;
      this.#answers = new Map();
      this.#evaluations = 0;
    }
    const body = stringifyExact(questionOf(this.#deps.upstream.key, request));
    // Properties may be long, and answers are many.
    const name = digest(body);
    const known = this.#answers.get(name);
    const now = this.#deps.clock.now();
    if (known !== undefined && now - known.at < MINUTE_MS) return Promise.resolve(known.decision);
    if (now < this.#unavailableUntil) return Promise.resolve(this.#lastKnown(known));
    const same = this.#running.get(name);
    if (same !== undefined) return same;
    if (this.#running.size >= MAX_QUESTIONS) return Promise.resolve(this.#lastKnown(known));
    const running = this.#askNow(snapshot, { name, body }, known);
    this.#running.set(name, running);
    return running;
  }

  /** Whether the server made it, and has counted it. */
  wasAsked(decision: Decision): boolean {
    return this.#asked.has(decision);
  }

  async #askNow(snapshot: FlagSnapshot, { name, body }: Question, known: Known | undefined): Promise<Decision | null> {
    const { upstream, clock, log } = this.#deps;
    try {
      const { status, text } = await upstream.post('/flags/?v=2', body, { timeoutMs: TIMEOUT_MS });
      if (status === 400 || status === 413) {
        // Only this request: the others are still asked for.
        log.warn({ status, detail: text.slice(0, 200) }, 'the server refused a question about flags');
        return this.#lastKnown(known);
      }
      if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
      const decision = decisionOf(snapshot, parseExact(text));
      this.#asked.add(decision);
      if (this.#snapshot === snapshot) this.#remember(name, { decision, at: clock.now() });
      return decision;
    } catch (err) {
      log.warn({ err }, 'the server could not be asked; flags that depend on stored data fail or are as last heard');
      this.#unavailableUntil = clock.now() + RETRY_DELAY_MS;
      return this.#lastKnown(known);
    } finally {
      this.#running.delete(name);
    }
  }

  #lastKnown(known: Known | undefined): Decision | null {
    return known !== undefined && this.#deps.clock.now() - known.at < HOUR_MS ? known.decision : null;
  }

  #remember(name: string, known: Known): void {
    this.#forget(name);
    this.#answers.set(name, known);
    this.#evaluations += sizeOf(known);
    for (const oldest of this.#answers.keys()) {
      if (this.#evaluations <= MAX_EVALUATIONS) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    const known = this.#answers.get(name);
    if (known !== undefined) this.#evaluations -= sizeOf(known);
    this.#answers.delete(name);
  }
}

/** An answer without flags takes memory, too. */
const sizeOf = ({ decision }: Known): number => 1 + decision.evaluations.length;

/** Whether something that is stored can change the value of a flag that was asked for. */
function dependsOnStored({ prepared }: FlagSnapshot, request: DecideRequest): boolean {
  // The server keeps the values of all flags with continuity at a login.
  if (request.flagKeys === null || (prepared.needs.hasContinuity && request.anonDistinctId !== null)) {
    return readsStored(prepared.needs, request);
  }
  return [...request.flagKeys].some((key) => {
    const needs = needsOfFlag(prepared, key);
    return needs !== undefined && readsStored(needs, request);
  });
}

const readsStored = (needs: Needs, request: DecideRequest): boolean =>
  (needs.groupTypes.size > 0 && request.groups.size > 0) || needsStoredPerson(needs, request);

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
