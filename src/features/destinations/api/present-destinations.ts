/** Destinations as the API returns them. */
import { type Caller, isAdmin } from '../../../access/callers.ts';
import { HOUR_MS } from '../../../core/time/units.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { iso, isoOrNull, originOnly, presentUserOrNull } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { presentInputs } from '../rules/destination-inputs.ts';
import type { Destination, HourCount, LogLine, SentState, WaitingEvents } from '../store/destination-store.ts';

interface Presented {
  caller: Caller;
  project: Project;
  /** Where it is new. */
  secret?: string | null;
}

export const TEMPLATE_ID = 'template-webhook';

export async function presentDestinations(
  store: MetadataStore,
  destinations: readonly Destination[],
  { caller, project, secret = null }: Presented,
) {
  const users = await usersById(
    store,
    destinations.map(({ createdBy }) => createdBy),
  );
  const isFull = isAdmin(caller, project.organizationId);
  return Promise.all(
    destinations.map(async (one) => ({
      id: one.id,
      type: 'destination',
      template_id: TEMPLATE_ID,
      name: one.name,
      description: one.description,
      enabled: one.enabled,
      deleted: false,
      hog: null,
      filters: one.filters,
      inputs: presentInputs(one.inputs, isFull ? one.inputs.url : (originOnly(one.inputs.url) ?? '…')),
      masking: one.masking,
      execution_order: one.executionOrder,
      status: presentStatus(one, await store.destinations.countWaiting(one.id)),
      ...(secret === null ? {} : { signing_secret: secret }),
      created_by: presentUserOrNull(users, one.createdBy),
      created_at: iso(one.createdAt),
      updated_at: iso(one.updatedAt),
    })),
  );
}

const presentStatus = (one: Destination, { events, oldest }: WaitingEvents) => ({
  state: stateOf(one),
  failing_since: isoOrNull(one.failingSince),
  retry_at: isoOrNull(one.retryAt),
  error: one.lastError,
  waiting: events,
  waiting_since: isoOrNull(oldest),
});

function stateOf({ enabled, pausedAt, failingSince }: Destination): string {
  if (!enabled) return 'disabled';
  if (pausedAt !== null) return 'paused';
  return failingSince === null ? 'healthy' : 'failing';
}

const LEVELS: Record<SentState, string> = {
  sent: 'INFO',
  filtered: 'INFO',
  masked: 'INFO',
  retried: 'WARN',
  skipped: 'ERROR',
  failed: 'ERROR',
};

export const presentLogLine = (line: LogLine) => ({
  id: line.id,
  timestamp: iso(line.at),
  level: LEVELS[line.state],
  state: line.state,
  event_uuid: line.eventUuid,
  event: line.event,
  events: line.events,
  status: line.status,
  ms: line.ms,
  message: messageOf(line),
});

function messageOf({ state, events, error, ms }: LogLine): string {
  const what = events === 1 ? 'The event' : `${events} events`;
  switch (state) {
    case 'sent':
      return `${what} arrived after ${ms} ms.`;
    case 'retried':
      return `${what} will be sent again: ${error}.`;
    default:
      return `${what} ${events === 1 ? 'was' : 'were'} not sent: ${error}.`;
  }
}

/** A value for each hour. */
export function presentMetrics(
  counts: readonly HourCount[],
  from: number,
  until: number,
  states: readonly SentState[],
) {
  const first = Math.floor(from / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: Math.floor((until - first) / HOUR_MS) + 1 }, (_, i) => first + i * HOUR_MS);
  const known = new Map(counts.map(({ hour, state, events }) => [`${hour} ${state}`, events]));
  return {
    labels: hours.map(iso),
    series: states.map((name) => ({ name, values: hours.map((hour) => known.get(`${hour} ${name}`) ?? 0) })),
  };
}

export const presentTotals = (counts: readonly HourCount[], states: readonly SentState[]) => ({
  totals: Object.fromEntries(
    states.map((name) => [
      name,
      counts.filter(({ state }) => state === name).reduce((sum, { events }) => sum + events, 0),
    ]),
  ),
});
