/** Release conditions with a variant: who matches one gets that variant, so they are not part of the random split. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { Range } from '../../../core/time/range.ts';

interface ForcedGroup {
  variant: string;
  properties: Json;
  share: number;
  range: Range;
}

const MAX_CONDITIONS = 20;

/** Of the versions of a flag in their order, each for the time that it was in force. */
export function forcedGroups(
  versions: readonly { updatedAt: number; filters: JsonObject }[],
  { from, until }: Range,
): ForcedGroup[] {
  const found = new Map<string, ForcedGroup>();
  for (const [at, { updatedAt, filters }] of versions.entries()) {
    const next = versions[at + 1]?.updatedAt ?? Number.POSITIVE_INFINITY;
    const range = { from: Math.max(from, updatedAt), until: Math.min(until, next) };
    if (range.from >= range.until) continue;
    for (const group of Array.isArray(filters['groups']) ? filters['groups'] : []) {
      if (!isJsonObject(group) || typeof group['variant'] !== 'string' || group['variant'] === '') continue;
      const { variant, properties = [], rollout_percentage: rollout } = group;
      const share = typeof rollout === 'number' ? rollout / 100 : 1;
      const key = JSON.stringify([variant, properties, share]);
      const known = found.get(key);
      const whole = known === undefined ? range : { from: known.range.from, until: range.until };
      if (share > 0) found.set(key, { variant: String(variant), properties: properties ?? [], share, range: whole });
    }
  }
  return [...found.values()].slice(0, MAX_CONDITIONS);
}

/** How long before the start exposures are looked for. */
const MAX_BEFORE_MS = 90 * 86_400_000;

/** When people could have met a variant before the start; null: the flag was never on. */
export function rangeBefore(
  versions: readonly { updatedAt: number; active: boolean }[],
  startedAt: number,
): Range | null {
  const active = versions.find((version) => version.active && version.updatedAt < startedAt);
  if (active === undefined) return null;
  return { from: Math.max(active.updatedAt, startedAt - MAX_BEFORE_MS), until: startedAt };
}
