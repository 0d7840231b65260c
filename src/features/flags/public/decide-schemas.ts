/** Shapes of the public flag endpoints, for the OpenAPI document only: what they accept is more lenient. */
import { Type } from '@sinclair/typebox';
import { ErrorSchema } from '../../../http/schemas/errors.ts';

const Properties = Type.Record(Type.String(), Type.Unknown());

const Subject = {
  distinct_id: Type.String({
    description: 'Whose flags. Numbers are read as text; text after 200 characters is cut off.',
  }),
  groups: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Group type → key, for flags on groups.' }),
  ),
  person_properties: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'These override stored ones, key by key.' }),
  ),
  group_properties: Type.Optional(Type.Record(Type.String(), Properties)),
  $anon_distinct_id: Type.Optional(
    Type.String({
      description: 'The anonymous id from before the login; flags with experience continuity need it once.',
    }),
  ),
  $device_id: Type.Optional(Type.String()),
  flag_keys: Type.Optional(Type.Array(Type.String(), { description: 'Only these flags.' })),
  disable_flags: Type.Optional(Type.Boolean({ description: 'Return only the configuration.' })),
  evaluation_runtime: Type.Optional(
    Type.String({ description: '`client` or `server`; detected from the headers if absent.' }),
  ),
  geoip_disable: Type.Optional(Type.Boolean({ description: 'Accepted and ignored: addresses are not looked up.' })),
};

const Key = Type.String({ description: 'The project key; or a personal or secret key, with `project_id`.' });

const DecideSchema = Type.Object({ api_key: Key, ...Subject });
const FlagsSchema = Type.Object({ token: Key, ...Subject });

const Value = Type.Union([Type.Boolean(), Type.String()]);

const Detail = Type.Object({
  key: Type.String(),
  enabled: Type.Boolean(),
  variant: Type.Union([Type.String(), Type.Null()]),
  failed: Type.Optional(Type.Literal(true, { description: 'Present only on flags that could not be evaluated.' })),
  reason: Type.Object({
    code: Type.String(),
    condition_index: Type.Union([Type.Integer(), Type.Null()]),
    description: Type.String(),
  }),
  metadata: Type.Object({
    id: Type.Integer(),
    version: Type.Integer(),
    description: Type.Null(),
    payload: Type.Unknown(),
    has_experiment: Type.Boolean(),
  }),
});

const Flags = {
  flags: Type.Optional(Type.Record(Type.String(), Detail)),
  featureFlagPayloads: Type.Optional(Properties),
  errorsWhileComputingFlags: Type.Optional(Type.Boolean()),
  requestId: Type.String({ format: 'uuid' }),
};

const DecideAnswer = Type.Object({
  config: Type.Object({ enable_collect_everything: Type.Boolean() }),
  editorParams: Properties,
  isAuthenticated: Type.Boolean(),
  supportedCompression: Type.Array(Type.String()),
  featureFlags: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Record(Type.String(), Value)])),
  ...Flags,
});

const FlagsAnswer = Type.Object({
  featureFlags: Type.Optional(Type.Record(Type.String(), Value)),
  evaluatedAt: Type.Integer(),
  ...Flags,
});

const version = (description: string) =>
  Type.Object({ v: Type.Optional(Type.String({ description })) }, { additionalProperties: true });

export const DECIDE_DOCUMENT = {
  summary: 'Evaluate flags for a user',
  tags: ['flags'],
  querystring: version(
    '1 (default): keys of the flags that are on; 2: a map of them; 3: all values and payloads; 4: with reasons.',
  ),
  body: DecideSchema,
  response: { 200: DecideAnswer, '4xx': ErrorSchema },
};

export const FLAGS_DOCUMENT = {
  summary: 'Evaluate flags for a user, with reasons',
  tags: ['flags'],
  querystring: version('2 (default): with reasons; 1: a map of values, and payloads.'),
  body: FlagsSchema,
  response: { 200: FlagsAnswer, '4xx': ErrorSchema },
};
