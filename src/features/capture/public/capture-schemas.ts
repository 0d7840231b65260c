/** What the OpenAPI document says of the capture endpoints; they accept far more. */
import { Type } from '@sinclair/typebox';
import { ErrorSchema } from '../../../http/schemas/errors.ts';

const Properties = Type.Record(Type.String(), Type.Unknown());

const EventFields = {
  event: Type.Optional(Type.String({ description: 'An event without a name is answered with 200 and dropped.' })),
  distinct_id: Type.Optional(
    Type.String({ description: 'Here or in `properties`; without one the event is dropped.' }),
  ),
  properties: Type.Optional(Properties),
  timestamp: Type.Optional(Type.String({ description: 'ISO 8601; defaults to the time of arrival.' })),
  uuid: Type.Optional(Type.String({ format: 'uuid', description: 'Events with the same uuid are stored once.' })),
  $set: Type.Optional(Properties),
  $set_once: Type.Optional(Properties),
};

const Key = Type.String({ description: 'The project key; or a personal or secret key, with `project_id`.' });

const CaptureSchema = Type.Object({ api_key: Key, ...EventFields });

const BatchSchema = Type.Object({
  api_key: Key,
  batch: Type.Array(Type.Object(EventFields)),
  sent_at: Type.Optional(Type.String()),
  historical_migration: Type.Optional(Type.Boolean()),
});

const response = {
  200: Type.Object({ status: Type.Literal(1) }, { description: 'The events are on disk.' }),
  '4xx': ErrorSchema,
  503: Type.Object(ErrorSchema.properties, { description: 'Unavailable: retry after `Retry-After` seconds.' }),
};

/** By path; the others are older names of the same endpoint. */
export const CAPTURE_DOCUMENTS: Readonly<Record<string, object>> = {
  '/capture/': { summary: 'Send one event', tags: ['capture'], body: CaptureSchema, response },
  '/batch/': { summary: 'Send many events', tags: ['capture'], body: BatchSchema, response },
};
