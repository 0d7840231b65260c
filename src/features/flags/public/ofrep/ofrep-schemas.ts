/** Shapes of OpenFeature's remote evaluation protocol (OFREP), for the OpenAPI document only. */
import { Type } from '@sinclair/typebox';
import { ErrorSchema } from '../../../../http/schemas/errors.ts';

const Context = Type.Object(
  {
    targetingKey: Type.String({ description: 'The distinct id.' }),
    groups: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Group type → key, for flags on groups.' }),
    ),
    groupProperties: Type.Optional(
      Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
        description: 'Group type → properties; these override stored ones.',
      }),
    ),
  },
  {
    additionalProperties: true,
    description: 'Every other attribute is a person property, and overrides the stored one.',
  },
);

const EvaluationRequest = Type.Object({ context: Context });

const Key = Type.String({ description: 'The key of the flag.' });

const Success = Type.Object({
  key: Key,
  value: Type.Optional(
    Type.Unknown({
      description:
        'A boolean; the variant key of a multivariate flag; the parsed payload of a remote configuration flag. Absent ' +
        'where one of the latter two is off: the default in the code applies.',
    }),
  ),
  reason: Type.Union(
    ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DEFAULT', 'DISABLED'].map((reason) => Type.Literal(reason)),
    { description: 'SPLIT: by rollout percentage or variant. DISABLED: the flag is off.' },
  ),
  variant: Type.Optional(Type.String()),
  metadata: Type.Object({
    flagId: Type.Integer(),
    version: Type.Integer(),
    flagSetId: Type.String({ description: 'The id of the project.' }),
    reasonCode: Type.Optional(Type.String({ description: 'The reason code of `/flags/`.' })),
    conditionIndex: Type.Optional(Type.Integer({ description: 'Index of the condition that decided, from 0.' })),
    payload: Type.Optional(Type.String({ description: 'The payload of the value, as JSON.' })),
  }),
});

const Codes = ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'GENERAL'].map((code) => Type.Literal(code));
const ErrorCode = Type.Union(Codes);
const errorDetails = Type.Optional(Type.String());
const Failure = Type.Object({ key: Key, errorCode: ErrorCode, errorDetails });
const NotFound = Type.Object({ key: Key, errorCode: Type.Literal('FLAG_NOT_FOUND'), errorDetails });
const BulkFailure = Type.Object({ errorCode: ErrorCode, errorDetails });

const EventStream = Type.Object({
  type: Type.Literal('sse'),
  url: Type.Optional(Type.String()),
  endpoint: Type.Optional(Type.Object({ requestUri: Type.String({ description: 'Relative to this server.' }) })),
  inactivityDelaySec: Type.Integer(),
});

const shared = {
  tags: ['flags'],
  security: [{ projectKey: [] }, { projectKeyHeader: [] }],
  body: EvaluationRequest,
};

export const OFREP_ONE_DOCUMENT = {
  ...shared,
  summary: 'The value of one flag, for OpenFeature providers (OFREP)',
  params: { type: 'object', properties: { key: { type: 'string' } } },
  response: { 200: Success, 400: Failure, 401: ErrorSchema, 404: NotFound },
};

export const OFREP_ALL_DOCUMENT = {
  ...shared,
  summary: 'The values of all flags, for OpenFeature providers (OFREP)',
  headers: {
    type: 'object',
    properties: {
      'if-none-match': { type: 'string', description: 'The ETag of an earlier response; 304 if nothing has changed.' },
    },
  },
  querystring: {
    type: 'object',
    properties: {
      flagConfigEtag: {
        type: 'string',
        description: 'The `etag` of a message of the stream: the answer is of that version or a later one.',
      },
      flagConfigLastModified: { type: 'string', description: 'Its `lastModified`; the `etag` says as much.' },
    },
  },
  response: {
    200: Type.Object({
      flags: Type.Array(Type.Union([Success, Failure])),
      eventStreams: Type.Optional(Type.Array(EventStream, { description: 'Where changes can be heard of.' })),
    }),
    304: { type: 'null', description: 'Nothing has changed.' },
    400: BulkFailure,
    401: ErrorSchema,
  },
};
