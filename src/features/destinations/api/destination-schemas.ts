import { Type } from '@sinclair/typebox';
import { AnyObject, DateTime, nullable, UserSummarySchema, Uuid } from '../../../http/schemas/common.ts';

const Filters = Type.Unknown({
  description:
    'Which events are sent: `{events: [{id, name, type, properties}], actions: […], properties: […], filter_test_accounts}`, as in insights. Without events and actions: every event.',
  examples: [{ events: [{ id: 'signed up', type: 'events' }], properties: [], filter_test_accounts: true }],
});
const Inputs = Type.Unknown({
  description:
    '`{url, method, headers, body, batch}`, each `{value}`. `body` is JSON in which `{event.…}`, `{person.…}` and `{project.…}` are filled in; no code is run. Values of headers are kept encrypted and shown as `******`. With `batch`, events that wait are sent together.',
  examples: [{ url: { value: 'https://hooks.example.org/events' } }],
});
const MaskingField = Type.Unknown({
  description: '`{hash, ttl, threshold}`: of events for which `hash` becomes the same, one is sent in `ttl` seconds.',
  examples: [{ hash: '{person.id}', ttl: 3600, threshold: null }],
});

const Fields = {
  name: Type.String({ minLength: 1, maxLength: 400 }),
  description: Type.String({ maxLength: 4000 }),
  enabled: Type.Boolean(),
  filters: Filters,
  inputs: Inputs,
  masking: MaskingField,
  execution_order: nullable(Type.Integer()),
  type: Type.String({ description: '`destination`.' }),
  template_id: Type.String({ description: '`template-webhook`.' }),
  hog: nullable(Type.String({ description: 'Source code is refused.' })),
};

export const DestinationCreateSchema = Type.Object({
  ...Type.Partial(Type.Object(Fields)).properties,
  template_id: Fields.template_id,
  inputs: Inputs,
});

export const DestinationChangeSchema = Type.Partial(
  Type.Object({
    ...Fields,
    deleted: Type.Boolean(),
    roll_secret: Type.Boolean({ description: 'Replace the signing secret; the old one is valid for a day.' }),
  }),
);

const Status = Type.Object({
  state: Type.String({ description: '`healthy`, `failing`, `paused` or `disabled`.' }),
  failing_since: nullable(DateTime),
  retry_at: nullable(DateTime),
  error: nullable(Type.String()),
  waiting: Type.Integer({ description: 'Events that wait to be sent.' }),
  waiting_since: nullable(DateTime),
});

export const DestinationSchema = Type.Object({
  id: Uuid,
  type: Type.String(),
  template_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  enabled: Type.Boolean(),
  deleted: Type.Boolean(),
  hog: nullable(Type.String()),
  filters: AnyObject,
  inputs: AnyObject,
  masking: nullable(AnyObject),
  execution_order: nullable(Type.Integer()),
  status: Status,
  signing_secret: Type.Optional(
    Type.String({ description: 'Of a new destination, once: it verifies `webhook-signature` (Standard Webhooks).' }),
  ),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
  updated_at: DateTime,
});

export const DestinationTestSchema = Type.Object({
  status: Type.String({ description: '`success` or `error`.' }),
  response_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  ms: Type.Integer(),
  body: Type.String(),
});

export const DestinationLogSchema = Type.Object({
  id: Type.Integer(),
  timestamp: DateTime,
  level: Type.String({ description: '`INFO`, `WARN` or `ERROR`.' }),
  state: Type.String({ description: '`sent`, `failed`, `skipped` or `retried`.' }),
  event_uuid: nullable(Uuid),
  event: nullable(Type.String()),
  events: Type.Integer({ description: 'How many were in the request.' }),
  status: nullable(Type.Integer()),
  ms: Type.Integer(),
  message: Type.String(),
});

export const DestinationMetricsSchema = Type.Object({
  labels: Type.Array(DateTime, { description: 'The starts of the hours.' }),
  series: Type.Array(Type.Object({ name: Type.String(), values: Type.Array(Type.Integer()) })),
});

export const DestinationTotalsSchema = Type.Object({ totals: Type.Record(Type.String(), Type.Integer()) });
