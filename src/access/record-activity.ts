/**
 * Who did what, when, before and after: the shared piece that every manager writes to, inside the transaction of the
 * change itself, so that no change is without its entry and no entry without its change.
 */
import type { Json, JsonObject } from '../core/json/json.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Activity, ActivityChange } from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';

interface ActivityDeps {
  clock: Clock;
  ids: Ids;
}

export interface ActivityEntry {
  /** For a caller that names the entry elsewhere; made here otherwise. */
  id?: string;
  organizationId: string;
  projectId: number | null;
  /** Null: the system itself. */
  userId: number | null;
  activity: string;
  scope: string;
  itemId: string;
  /** What the thing is called. */
  name: string | null;
  /** The name for links, of things that have one. */
  shortId?: string;
  changes: ActivityChange[] | null;
  /** What made the system act by itself. */
  trigger?: JsonObject;
}

/** Writes one entry. An update that changed nothing leaves no trace. */
export async function recordActivity(deps: ActivityDeps, store: MetadataStore, entry: ActivityEntry): Promise<void> {
  const { name, shortId = null, changes, trigger = null, ...rest } = entry;
  if (entry.activity === 'updated' && (changes === null || changes.length === 0)) return;
  const now = deps.clock.now();
  const activity: Activity = {
    ...rest,
    id: entry.id ?? deps.ids.orderedUuid(now),
    detail: { changes, trigger, name, short_id: shortId },
    createdAt: now,
  };
  await store.activity.create(activity);
}

/** One change for each field whose value differs. Values are compared as JSON. */
export function changesBetween(
  type: string,
  before: Readonly<Record<string, Json>>,
  after: Readonly<Record<string, Json>>,
): ActivityChange[] {
  const changes: ActivityChange[] = [];
  for (const field of Object.keys({ ...before, ...after })) {
    const old = ownValue(before, field);
    const now = ownValue(after, field);
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    const action = old === null ? 'created' : now === null ? 'deleted' : 'changed';
    changes.push({ type, action, field, before: old, after: now });
  }
  return changes;
}

/** Own fields only: `constructor` and its like are inherited by every object. */
const ownValue = (state: Readonly<Record<string, Json>>, field: string): Json =>
  Object.hasOwn(state, field) ? (state[field] ?? null) : null;
