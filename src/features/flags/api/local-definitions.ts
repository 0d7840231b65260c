/**
 * Flag definitions as SDKs fetch them, every thirty seconds or so each: written once per snapshot, with a tag by which
 * they can ask whether anything has changed.
 */

import { digest } from '../../../lib/secrets.ts';
import type { FlagSnapshot } from '../decide/flag-snapshots.ts';
import { presentLocalDefinitions } from './local-evaluation-schemas.ts';

interface SerializedDefinitions {
  text: string;
  /** Of the text, without the quotes. */
  tag: string;
}

/** Goes with its snapshot. */
const cache = new WeakMap<FlagSnapshot, Map<boolean, SerializedDefinitions>>();

export function serializeLocalDefinitions(snapshot: FlagSnapshot, sendCohorts: boolean): SerializedDefinitions {
  const known = cache.get(snapshot) ?? new Map<boolean, SerializedDefinitions>();
  cache.set(snapshot, known);
  const before = known.get(sendCohorts);
  if (before !== undefined) return before;
  const text = JSON.stringify(presentLocalDefinitions(snapshot, sendCohorts));
  const now = { text, tag: digest(text).slice(0, 32) };
  known.set(sendCohorts, now);
  return now;
}

/** The tag in an `If-None-Match`, whether it is called weak or not, quoted or not. Null where there is none. */
export function readEntityTag(header: string | undefined | null): string | null {
  const tag = (header ?? '').trim().replace(/^W\//, '').replaceAll('"', '');
  return tag === '' ? null : tag;
}
