/** Flag definitions for local evaluation. SDKs poll them, so the JSON and its entity tag are built once per snapshot. */

import { stringifyExact } from '../../../core/json/exact-json.ts';
import { digest } from '../../../lib/secrets.ts';
import type { FlagSnapshot } from '../decide/flag-snapshots.ts';
import { presentLocalDefinitions } from './local-evaluation-schemas.ts';

interface SerializedDefinitions {
  text: string;
  /** Entity tag of the text, without quotes. */
  tag: string;
}

const cache = new WeakMap<FlagSnapshot, Map<boolean, SerializedDefinitions>>();

export function serializeLocalDefinitions(snapshot: FlagSnapshot, sendCohorts: boolean): SerializedDefinitions {
  const versions = cache.get(snapshot) ?? new Map<boolean, SerializedDefinitions>();
  cache.set(snapshot, versions);
  const cached = versions.get(sendCohorts);
  if (cached !== undefined) return cached;
  const text = stringifyExact(presentLocalDefinitions(snapshot, sendCohorts));
  const serialized = { text, tag: digest(text).slice(0, 32) };
  versions.set(sendCohorts, serialized);
  return serialized;
}

/** The tag in an `If-None-Match`, weak or not, quoted or not; null if there is none. */
export function readEntityTag(header: string | undefined | null): string | null {
  const tag = (header ?? '').trim().replace(/^W\//, '').replaceAll('"', '');
  return tag === '' ? null : tag;
}
