import { toDistinctId } from '../events/distinct-id.ts';
import type { Event } from '../events/event.ts';
import type { Warning } from '../events/warning.ts';
import { isIllegalId } from './illegal-ids.ts';
import type { MergeKind } from './plan-merge.ts';

export interface MergeAttempt {
  kind: MergeKind;
  /** The other id; the event's own distinct id is the target. */
  sourceId: string;
}

const MERGE_EVENTS: ReadonlyMap<string, { kind: MergeKind; property: string }> = new Map([
  ['$identify', { kind: 'identify', property: '$anon_distinct_id' }],
  ['$create_alias', { kind: 'alias', property: 'alias' }],
  ['$merge_dangerously', { kind: 'merge_dangerously', property: 'alias' }],
] as const);

/** The merge that an event requests; undefined for `$identify` without a second id or with the same id. */
export function mergeAttempt(event: Event): MergeAttempt | undefined {
  const kind = event.person === 'full' ? MERGE_EVENTS.get(event.event) : undefined;
  const other = kind === undefined ? undefined : event.properties[kind.property];
  if (kind === undefined || other === undefined || other === null) return undefined;
  const sourceId = toDistinctId(other);
  return sourceId === undefined || sourceId === event.distinctId ? undefined : { kind: kind.kind, sourceId };
}

/** The distinct ids whose persons have to be loaded before the event is handled. */
export function distinctIdsOf(event: Event): string[] {
  const attempt = mergeAttempt(event);
  return attempt === undefined ? [event.distinctId] : [event.distinctId, attempt.sourceId];
}

/** A warning where one of the two ids must not be merged. */
export function illegalMergeWarning(event: Event, sourceId: string): Warning | undefined {
  const illegal = [sourceId, event.distinctId].find(isIllegalId);
  if (illegal === undefined) return undefined;
  const otherDistinctId = illegal === sourceId ? event.distinctId : sourceId;
  const details = { illegalDistinctId: illegal, otherDistinctId, eventUuid: event.uuid };
  return { type: 'cannot_merge_with_illegal_distinct_id', details };
}
