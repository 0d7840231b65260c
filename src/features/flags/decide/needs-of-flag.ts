import { prepareFlag } from '../rules/compile/prepare-flags.ts';
import type { Needs, PreparedFlags } from '../rules/compile/prepared-flags.ts';

const found = new WeakMap<PreparedFlags, Map<string, Needs>>();

/** What one flag, and those that it depends on, need of the subject; undefined: no active flag has this key. */
export function needsOfFlag(prepared: PreparedFlags, key: string): Needs | undefined {
  const flag = prepared.byKey.get(key);
  if (flag === undefined) return undefined;
  const known = found.get(prepared) ?? new Map<string, Needs>();
  found.set(prepared, known);
  const needs = known.get(key) ?? prepareFlag(flag.compiled.definition, prepared).needs;
  known.set(key, needs);
  return needs;
}
