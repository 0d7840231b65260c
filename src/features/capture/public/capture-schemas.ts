/** What the public capture endpoints take, for the document: they read far more than this, and refuse far less. */
import { Type } from '@sinclair/typebox';
import { ErrorSchema } from '../../../http/schemas/errors.ts';

const Properties = Type.Record(Type.String(), Type.Unknown());

const EventFields = {
  event: Type.Optional(Type.String({ description: 'Without a name the event is answered with 200 and dropped.' })),
  distinct_id: Type.Optional(
    Type.String({ description: 'Here or in `properties`; without one the event is dropped.' }),
  ),
  properties: Type.Optional(Properties),
  timestamp: Type.Optional(Type.String({ description: 'ISO 8601; the time of arrival when absent.' })),
  uuid: Type.Optional(Type.String({ format: 'uuid', description: 'The same uuid again is the same event again.' })),
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
  503: Type.Object(ErrorSchema.properties, { description: 'Not now: send it again after `Retry-After` seconds.' }),
};

/** Path → what the document says of it. The others are older names of the same door. */
export const CAPTURE_DOCUMENTS: Readonly<Record<string, object>> = {
  '/capture/': { summary: 'Send one event', tags: ['capture'], body: CaptureSchema, response },
  '/batch/': { summary: 'Send many events', tags: ['capture'], body: BatchSchema, response },
};
