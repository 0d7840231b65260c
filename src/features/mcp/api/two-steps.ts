/**
 * Changes of flags in two steps. The first call writes nothing: it answers whom the change reaches, and a token. The second
 * one, with the token, does it. The token is made by the server and fits one key, flag, version and change for ten minutes;
 * so no text that an assistant has read can contain one, and after the change it fits nothing any more.
 */
import { Failure } from '../../../core/errors.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import { isSameSecret, signature } from '../../../lib/secrets.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { outdatedVersion } from '../../flags/manage/flags.ts';
import type { CallRoute, RouteAnswer, RouteCall } from './call-route.ts';

export interface TwoStepDeps {
  metadata: Pick<MetadataStore, 'installation'>;
  clock: Clock;
  ids: Ids;
}

interface Step {
  keyId: string;
  args: JsonObject;
  /** What is done in the end. */
  call: RouteCall;
  callRoute: CallRoute;
}

const TOKEN_MS = 10 * MINUTE_MS;
const SECRET_NAME = 'mcp_confirm_secret';

export async function createFlagInSteps(deps: TwoStepDeps, step: Step): Promise<RouteAnswer> {
  const { confirm, ...flag } = step.call.body ?? {};
  const call = { ...step.call, body: { active: false, ...flag } };
  if (flag['active'] !== true) return step.callRoute(call);
  if (confirm !== undefined) {
    await requireToken(deps, step, flag, confirm);
    return step.callRoute(call);
  }
  const reach = await measure(step, { key: flag['key'] ?? null, filters: flag['filters'] ?? {} });
  return reach.status === 200 ? firstAnswer(deps, step, flag, reach.body, []) : reach;
}

export async function updateFlagInSteps(deps: TwoStepDeps, step: Step): Promise<RouteAnswer> {
  const { changes, version, confirm } = step.args;
  const flag = await step.callRoute({ method: 'GET', url: step.call.url });
  if (flag.status !== 200 || !isJsonObject(flag.body)) return flag;
  if (flag.body['version'] !== version) throw outdatedVersion(Number(flag.body['version']));
  const wanted = isJsonObject(changes) ? changes : {};
  const bound = { id: flag.body['id'] ?? null, version: version ?? null, changes: wanted };
  if (confirm !== undefined) {
    await requireToken(deps, step, bound, confirm);
    // Of two calls at once with one token, one is too late.
    return step.callRoute({ ...step.call, body: wanted, headers: { 'if-match': String(version) } });
  }
  const { filters = flag.body['filters'], active = flag.body['active'] } = wanted;
  const reach = await measure(step, { id: bound.id, filters: filters ?? {}, active: active ?? false });
  if (reach.status !== 200) return reach;
  return firstAnswer(deps, step, bound, reach.body, differences(flag.body, wanted));
}

/** With a few examples of those whose value changes. */
const measure = ({ call, callRoute }: Step, body: JsonObject): Promise<RouteAnswer> =>
  callRoute({
    method: 'POST',
    url: `${call.url.replace(/feature_flags\/.*$/, 'feature_flags/')}user_blast_radius/?limit=5`,
    body,
  });

function differences(flag: JsonObject, wanted: JsonObject): Json[] {
  return Object.entries(wanted)
    .filter(([name, after]) => stringifyExact(flag[name] ?? null) !== stringifyExact(after))
    .map(([field, after]) => ({ field, before: flag[field] ?? null, after }));
}

async function firstAnswer(
  deps: TwoStepDeps,
  step: Step,
  bound: JsonObject,
  reach: Json,
  diff: Json[],
): Promise<RouteAnswer> {
  const expires = deps.clock.now() + TOKEN_MS;
  const confirm = await tokenFor(deps, step, bound, expires);
  return { status: 200, body: { applied: false, blast_radius: reach, diff, confirm } };
}

async function tokenFor(deps: TwoStepDeps, { keyId, call }: Step, bound: JsonObject, expires: number): Promise<string> {
  const secret = await deps.metadata.installation.getOrAdd(SECRET_NAME, deps.ids.token(''));
  return `${expires}.${signature(secret, stringifyExact([keyId, call.method, call.url, sorted(bound), expires]))}`;
}

async function requireToken(deps: TwoStepDeps, step: Step, bound: JsonObject, given: Json): Promise<void> {
  const expires = Number(String(given).split('.', 1)[0]);
  const isCurrent = Number.isSafeInteger(expires) && expires > deps.clock.now();
  if (isCurrent && isSameSecret(await tokenFor(deps, step, bound, expires), String(given))) return;
  throw new Failure(
    'conflict',
    'This token does not fit the key, the flag, its version and the change, or is older than ten minutes. ' +
      'Call the tool without confirm, and use the new token.',
    { attr: 'confirm', code: 'invalid_confirmation' },
  );
}

/** The order of fields says nothing. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
