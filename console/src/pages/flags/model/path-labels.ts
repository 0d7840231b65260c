/** Paths of differences in words. */
import type { Difference } from './differences.ts';

const LABELS: readonly [RegExp, (match: RegExpExecArray) => string][] = [
  [/^active$/, () => 'Enabled'],
  [/^deleted$/, () => 'Deleted'],
  [/^name$/, () => 'Description'],
  [/^tags$/, () => 'Tags'],
  [/^filters\.groups\[(\d+)\]\.rollout_percentage$/, ([, at]) => `Rollout of condition ${Number(at) + 1} (%)`],
  [/^filters\.groups\[(\d+)\]\.variant$/, ([, at]) => `Variant of condition ${Number(at) + 1}`],
  [/^filters\.groups\[(\d+)\]\.properties/, ([, at]) => `Filters of condition ${Number(at) + 1}`],
  [/^filters\.groups\[(\d+)\]$/, ([, at]) => `Condition ${Number(at) + 1}`],
  [/^filters\.payloads\.(.+)$/, ([, key]) => `Payload of ${key}`],
  [/^filters\.multivariate/, () => 'Variants'],
];

/** 'filters.groups[0].rollout_percentage' is 'Rollout of condition 1 (%)'; other paths stay as they are. */
export function labelOfPath(path: string): string {
  for (const [pattern, label] of LABELS) {
    const match = pattern.exec(path);
    if (match) return label(match);
  }
  return path;
}

/** Differences as the server lists them. */
export const namedDifferences = (diff: readonly { path: string; from: unknown; to: unknown }[]): Difference[] =>
  diff.map(({ path, from, to }) => ({ what: labelOfPath(path), before: asText(from), after: asText(to) }));

const asText = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);
