import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { METRIC_LISTS } from '../rules/read-metrics.ts';

interface SentMetrics {
  allow_unknown_events?: boolean | undefined;
  metrics?: unknown;
  metrics_secondary?: unknown;
  guardrails?: unknown;
}

/**
 * Refuses events that the project has never seen, unless the caller allows them: mostly they are misspelt, and their
 * metric would be 0 for ever. `known` are settings from before: what was accepted once stays.
 */
export async function requireKnownEvents(
  { definitions }: MetadataStore,
  projectId: number,
  sent: SentMetrics,
  known: JsonObject = {},
): Promise<void> {
  if (sent.allow_unknown_events === true) return;
  const accepted = new Set(METRIC_LISTS.flatMap((name) => eventsIn(known[name] ?? null).map(({ event }) => event)));
  const named = METRIC_LISTS.flatMap((name) => eventsIn((sent[name] ?? null) as Json, name)).filter(
    ({ event }) => !accepted.has(event),
  );
  if (named.length === 0) return;
  const seen = new Set((await definitions.listEvents(projectId)).map(({ name }) => name));
  const unknown = named.find(({ event }) => !seen.has(event));
  if (unknown === undefined) return;
  throw invalid(
    unknown.attr,
    `This project has never seen the event ${JSON.stringify(unknown.event)}. To measure it anyway, send "allow_unknown_events": true.`,
  );
}

interface NamedEvent {
  event: string;
  attr: string;
}

/** The events of everything below this. */
function eventsIn(value: Json, attr = ''): NamedEvent[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => eventsIn(one, `${attr}__${at}`));
  if (!isJsonObject(value)) return [];
  const { event } = value;
  const own = typeof event === 'string' && event !== '' ? [{ event, attr: `${attr}__event` }] : [];
  const below = Object.entries(value).filter(([name]) => name !== 'properties');
  return [...own, ...below.flatMap(([name, field]) => eventsIn(field ?? null, `${attr}__${name}`))];
}
