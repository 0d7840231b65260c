/** Decisions in the format of OpenFeature's remote evaluation protocol (OFREP). */

import { stringifyExact } from '../../../../core/json/exact-json.ts';
import type { FeatureFlag } from '../../../../stores/metadata/flags.ts';
import type { Decision } from '../../decide/decision.ts';
import type { FlagSnapshot } from '../../decide/flag-snapshots.ts';
import { openFeatureReason, openFeatureValue, type ValueKind } from '../../rules/evaluate/open-feature.ts';
import type { FlagEvaluation } from '../../rules/flag-evaluation.ts';
import type { OfrepErrorCode } from './ofrep-context.ts';

export interface OfrepFailure {
  key?: string;
  errorCode: OfrepErrorCode;
  errorDetails: string;
}

interface OfrepSuccess {
  key: string;
  /** Absent where the caller's default applies. */
  value?: unknown;
  reason: string;
  variant?: string;
  metadata: Record<string, string | number | boolean>;
}

type OfrepAnswer = OfrepSuccess | OfrepFailure;

/** The same flags as in `/decide/`. */
export const presentOfrepFlags = ({ evaluations, snapshot }: Decision): OfrepAnswer[] =>
  evaluations.map((evaluation) => presentEvaluation(evaluation, snapshot));

/** Null where the caller has no such flag. A disabled flag is returned too, unlike in the list. */
export function presentOfrepFlag({ evaluations, snapshot }: Decision, key: string): OfrepAnswer | null {
  const [evaluation] = evaluations;
  if (evaluation !== undefined) return presentEvaluation(evaluation, snapshot);
  const flag = flagsOf(snapshot).get(key);
  return flag === undefined || flag.active ? null : presentDisabled(flag);
}

function presentEvaluation(evaluation: FlagEvaluation, snapshot: FlagSnapshot): OfrepAnswer {
  const { key, value, payload, reason, conditionIndex } = evaluation;
  const flag = flagsOf(snapshot).get(key);
  const prepared = snapshot.prepared.byKey.get(key);
  if (reason === 'failed' || flag === undefined || prepared === undefined) {
    return { key, errorCode: 'GENERAL', errorDetails: 'The flag could not be evaluated.' };
  }
  return {
    key,
    ...valued(openFeatureValue(evaluation, kindOf(flag))),
    reason: openFeatureReason(evaluation, prepared),
    ...(typeof value === 'string' ? { variant: value } : {}),
    metadata: {
      ...flagMetadata(flag),
      reasonCode: reason,
      ...(conditionIndex === null ? {} : { conditionIndex }),
      ...payloadOf(payload),
    },
  };
}

const presentDisabled = (flag: FeatureFlag): OfrepSuccess => ({
  key: flag.key,
  ...valued(openFeatureValue({ value: false, payload: undefined }, kindOf(flag))),
  reason: 'DISABLED',
  metadata: flagMetadata(flag),
});

const valued = (value: unknown): { value?: unknown } => (value === undefined ? {} : { value });

/** `version` and `flagSetId` are names of OpenFeature's telemetry. */
const flagMetadata = ({ id, version, projectId }: FeatureFlag) => ({
  flagId: id,
  version,
  flagSetId: String(projectId),
});

/** OpenFeature's metadata holds only strings, numbers and booleans, so other payloads are sent as JSON. */
const payloadOf = (payload: unknown): { payload?: string } =>
  payload === undefined || payload === null
    ? {}
    : { payload: typeof payload === 'string' ? payload : stringifyExact(payload) };

function kindOf({ isRemoteConfiguration, filters }: FeatureFlag): ValueKind {
  if (isRemoteConfiguration) return 'payload';
  const { variants } = (filters['multivariate'] ?? {}) as { variants?: unknown };
  return Array.isArray(variants) && variants.length > 0 ? 'variant' : 'boolean';
}

const byKey = new WeakMap<FlagSnapshot, ReadonlyMap<string, FeatureFlag>>();

function flagsOf(snapshot: FlagSnapshot): ReadonlyMap<string, FeatureFlag> {
  const known = byKey.get(snapshot) ?? new Map(snapshot.flags.map((flag) => [flag.key, flag]));
  byKey.set(snapshot, known);
  return known;
}
