/**
 * Flag definitions as SDKs fetch them, every thirty seconds or so each: written once per snapshot, with a tag by which
 * they can ask whether anything has changed.
 */

import { digest } from '../../../lib/secrets.ts';
import type { Snapshot } from '../decide/definitions.ts';
import { presentLocalDefinitions } from './local-evaluation-schemas.ts';

export interface WrittenDefinitions {
  text: string;
  /** Of the text, without the quotes. */
  tag: string;
}

/** Goes with its snapshot. */
const written = new WeakMap<Snapshot, Map<boolean, WrittenDefinitions>>();

export function writeLocalDefinitions(snapshot: Snapshot, sendCohorts: boolean): WrittenDefinitions {
  const known = written.get(snapshot) ?? new Map<boolean, WrittenDefinitions>();
  written.set(snapshot, known);
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
