/** What a template can name of one event, and the request that is made of it. */
import { parseExact, stringifyExact } from '../../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { iso } from '../../../core/time/iso.ts';
import { renderTemplate, type TemplateValues } from './template.ts';

export interface SentEvent {
  uuid: string;
  event: string;
  distinctId: string;
  personId: string;
  timestamp: number;
  createdAt: number;
  /** JSON text. */
  properties: string;
  elementsChain: string;
}

interface SentPerson {
  uuid: string;
  properties: JsonObject;
}

interface SentProject {
  id: number;
  name: string;
  /** In the console; null where its address is unknown. */
  url: string | null;
}

export const sentProject = ({ id, name }: Omit<SentProject, 'url'>, publicUrl: string | null): SentProject => ({
  id,
  name,
  url: publicUrl === null ? null : `${publicUrl}/project/${id}`,
});

export function templateValues(event: SentEvent, person: SentPerson | undefined, project: SentProject): TemplateValues {
  const personUrl = project.url === null ? null : `${project.url}/persons/${event.personId}`;
  return {
    event: {
      uuid: event.uuid,
      event: event.event,
      distinct_id: event.distinctId,
      timestamp: iso(event.timestamp),
      created_at: iso(event.createdAt),
      properties: parseExact(event.properties),
      elements_chain: event.elementsChain,
      url: project.url === null ? null : `${project.url}/events/${event.uuid}`,
    },
    person: person
      ? { id: person.uuid, properties: person.properties, url: personUrl }
      : { id: event.personId, properties: {}, url: null },
    project: { id: project.id, name: project.name, url: project.url },
  };
}

/** The same for an event at every attempt, and different for every destination. */
export const webhookId = (uuid: string, destinationId: string): string => `${uuid}:${destinationId}`;

/** Without a template: everything. */
export const eventBody = (template: Json, values: TemplateValues): Json =>
  template === null
    ? { type: 'event', timestamp: (values.event as JsonObject)['timestamp'] ?? null, data: { ...values } }
    : renderTemplate(template, values);

/** Numbers keep all their digits. A template that is one text is sent as it is. */
export const bodyText = (body: Json): string => (typeof body === 'string' ? body : stringifyExact(body));

export interface BatchItem {
  id: string;
  body: Json;
}

/** Several events in one request; each has the id that it would have alone. */
export const batchText = (items: readonly BatchItem[], now: number): string =>
  stringifyExact({
    type: 'event',
    batch: true,
    timestamp: iso(now),
    data: items.map(({ id, body }) => ({ id, body })),
  });
