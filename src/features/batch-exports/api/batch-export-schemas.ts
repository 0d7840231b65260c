import { Type } from '@sinclair/typebox';
import { AnyObject, DateTime, nullable, UserSummarySchema, Uuid } from '../../../http/schemas/common.ts';
import { EXPORT_MODELS } from '../rules/export-destination.ts';
import { EXPORT_INTERVALS } from '../rules/export-interval.ts';

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );

const Fields = {
  name: Type.String({ minLength: 1, maxLength: 400 }),
  model: oneOf(EXPORT_MODELS, 'What rows are; cannot be changed later.'),
  interval: oneOf(EXPORT_INTERVALS, 'How much time a run covers: whole intervals of UTC, weeks from Monday.'),
  paused: Type.Boolean(),
};
const Times = {
  start_at: nullable(Type.String({ description: 'Nothing of the time before is exported; a date and time.' })),
  end_at: nullable(Type.String({ description: 'No run begins from then on.' })),
};
const Destination = Type.Unknown({
  description:
    '`{type, config}`. `S3`: `bucket_name, region, prefix, endpoint_url, aws_access_key_id, aws_secret_access_key, compression, file_format, max_file_size_mb, use_virtual_style_addressing`. `Folder`: `prefix, compression, file_format, max_file_size_mb`, below `EXPORT_DIR` of the server. Credentials are kept encrypted and shown as `******`.',
  examples: [
    {
      type: 'S3',
      config: {
        bucket_name: 'my-events',
        region: 'eu-central-1',
        prefix: 'cairn/{year}/{month}',
        aws_access_key_id: 'AKIA…',
        aws_secret_access_key: '…',
        file_format: 'Parquet',
        compression: 'zstd',
      },
    },
  ],
});
const Filters = Type.Unknown({
  description:
    'Which events are exported: properties as a list, or `{events, actions, properties, filter_test_accounts}` as in insights.',
  examples: [[{ key: 'plan', type: 'person', value: 'pro' }]],
});

export const BatchExportCreateSchema = Type.Object({
  ...Type.Partial(Type.Object({ ...Fields, ...Times, filters: Filters })).properties,
  destination: Destination,
});
export const BatchExportChangeSchema = Type.Partial(
  Type.Object({ ...Fields, ...Times, filters: Filters, destination: Destination }),
);

export const ExportRunSchema = Type.Object({
  id: Uuid,
  batch_export: Uuid,
  status: Type.String({
    description: '`Starting`, `Running`, `Completed`, `FailedRetryable` (tried again by itself) or `Failed`.',
  }),
  data_interval_start: DateTime,
  data_interval_end: DateTime,
  records_completed: Type.Integer({ description: 'Rows in all files.' }),
  bytes_exported: Type.Integer(),
  attempts: Type.Integer(),
  latest_error: nullable(Type.String()),
  retry_at: nullable(DateTime),
  manifest: nullable(Type.String({ description: 'The name of the manifest; null until the run is complete.' })),
  created_at: DateTime,
  finished_at: nullable(DateTime),
  last_updated_at: DateTime,
});

const ExportFileSchema = Type.Object({
  name: Type.String(),
  records: Type.Integer(),
  bytes: Type.Integer(),
  sha256: Type.String(),
});

export const ExportRunDetailSchema = Type.Object({
  ...ExportRunSchema.properties,
  files: Type.Array(ExportFileSchema, { description: 'Those that have arrived so far.' }),
});

export const BatchExportSchema = Type.Object({
  id: Uuid,
  name: Type.String(),
  model: Type.String(),
  destination: AnyObject,
  interval: Type.String(),
  filters: AnyObject,
  paused: Type.Boolean(),
  paused_reason: nullable(Type.String({ description: 'Why the server has paused it.' })),
  start_at: nullable(DateTime),
  end_at: nullable(DateTime),
  exported_until: { ...DateTime, description: 'The start of the next scheduled run.' },
  latest_runs: Type.Array(ExportRunSchema, { description: 'The newest intervals, at most 10.' }),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
  last_updated_at: DateTime,
});

export const BackfillCreateSchema = Type.Object({
  start_at: Type.Optional(nullable(Type.String({ description: 'Events received from then on; whole intervals.' }))),
  end_at: Type.Optional(nullable(Type.String({ description: 'Default: up to where the schedule begins.' }))),
});

export const BackfillSchema = Type.Object({
  id: Uuid,
  batch_export: Uuid,
  status: Type.String({ description: '`Running` or `Completed`.' }),
  start_at: DateTime,
  end_at: DateTime,
  progress: Type.Number({ description: 'From 0 to 1: how much of the time has been started.' }),
  created_at: DateTime,
  finished_at: nullable(DateTime),
});
