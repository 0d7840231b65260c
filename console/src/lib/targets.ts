/** What a filter or a breakdown can be about: a property of events, persons, sessions or groups, or a cohort. */
import type { AnyFilter } from './filters.ts';

export type TargetType = 'event' | 'person' | 'session' | 'group' | 'cohort';

export type Target =
  | { type: 'event' | 'person' | 'session'; key: string }
  | { type: 'group'; key: string; groupTypeIndex: number }
  | { type: 'cohort'; id: number };

/** As one text: `person:email`, `group:0:name`, `cohort:7`. */
export function targetToText(target: Target): string {
  if (target.type === 'cohort') return `cohort:${target.id}`;
  return target.type === 'group' ? `group:${target.groupTypeIndex}:${target.key}` : `${target.type}:${target.key}`;
}

export function targetFromText(text: string): Target | null {
  const [, type, rest = ''] = /^(event|person|session|group|cohort):(.+)$/s.exec(text) ?? [];
  if (type === 'event' || type === 'person' || type === 'session') return { type, key: rest };
  if (type === 'cohort') return { type, id: Number(rest) };
  const [, index, key = ''] = /^([0-4]):(.+)$/s.exec(rest) ?? [];
  return index === undefined ? null : { type: 'group', key, groupTypeIndex: Number(index) };
}

/** A filter that still lacks its value, except for cohorts. */
export function newFilter(target: Target): AnyFilter {
  if (target.type === 'cohort') return { type: 'cohort', key: 'id', value: target.id, operator: 'in' };
  const { type, key } = target;
  const rest = { key, operator: 'exact', value: [] as string[] } as const;
  return type === 'group' ? { type, ...rest, group_type_index: target.groupTypeIndex } : { type, ...rest };
}
