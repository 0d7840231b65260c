/** An export as the form changes it. */
import type { BatchExport, BatchExportWrite } from '../../api/batch-exports.ts';
import { localTime } from '../../charts/rules/unfinished.ts';
import { momentOf } from '../../lib/local-dates.ts';
import {
  type EventFilters,
  NO_EVENT_FILTERS,
  readEventFilters,
  writeEventFilters,
} from '../destinations/event-filters.ts';

export const MODELS = [
  { value: 'events', label: 'Events' },
  { value: 'persons', label: 'Persons' },
  { value: 'sessions', label: 'Sessions' },
] as const;
export const INTERVALS = [
  { value: 'every 5 minutes', label: 'Every 5 minutes' },
  { value: 'hour', label: 'Every hour' },
  { value: 'day', label: 'Every day' },
  { value: 'week', label: 'Every week' },
] as const;
export const PLACES = [
  { value: 'S3', label: 'S3-compatible store' },
  { value: 'Folder', label: 'Folder of the server' },
] as const;
export const FORMATS = [
  { value: 'Parquet', label: 'Parquet' },
  { value: 'JSONLines', label: 'JSON lines' },
] as const;

export type Model = (typeof MODELS)[number]['value'];
export type ExportInterval = (typeof INTERVALS)[number]['value'];
export type Place = (typeof PLACES)[number]['value'];
export type FileFormat = (typeof FORMATS)[number]['value'];
export type Compression = '' | 'gzip' | 'zstd';

export interface ExportDraft {
  name: string;
  model: Model;
  interval: ExportInterval;
  place: Place;
  prefix: string;
  format: FileFormat;
  compression: Compression;
  maxFileSizeMb: string;
  bucket: string;
  region: string;
  endpoint: string;
  isVirtualStyle: boolean;
  /** Empty: those that are stored. */
  accessKeyId: string;
  secretAccessKey: string;
  /** In the time of the project; empty: none. */
  start: string;
  end: string;
  events: EventFilters;
}

export const newDraft = (): ExportDraft => ({
  name: '',
  model: 'events',
  interval: 'hour',
  place: 'S3',
  prefix: 'cairn/{model}/{year}/{month}/{day}',
  format: 'Parquet',
  compression: 'zstd',
  maxFileSizeMb: '64',
  bucket: '',
  region: 'us-east-1',
  endpoint: '',
  isVirtualStyle: false,
  accessKeyId: '',
  secretAccessKey: '',
  start: '',
  end: '',
  events: NO_EVENT_FILTERS,
});

interface StoredConfig {
  prefix: string;
  file_format: FileFormat;
  compression: 'gzip' | 'zstd' | null;
  max_file_size_mb: number;
  bucket_name?: string;
  region?: string;
  endpoint_url?: string | null;
  use_virtual_style_addressing?: boolean;
}

const shownTime = (at: string | null, zone: string): string =>
  at === null ? '' : localTime(at, zone).slice(0, 16).replace(' ', 'T');

export function draftOf(saved: BatchExport, zone: string): ExportDraft {
  const { type, config } = saved.destination as { type: Place; config: StoredConfig };
  return {
    name: saved.name,
    model: saved.model as Model,
    interval: saved.interval as ExportInterval,
    place: type,
    prefix: config.prefix,
    format: config.file_format,
    compression: config.compression ?? '',
    maxFileSizeMb: String(config.max_file_size_mb),
    bucket: config.bucket_name ?? '',
    region: config.region ?? 'us-east-1',
    endpoint: config.endpoint_url ?? '',
    isVirtualStyle: config.use_virtual_style_addressing ?? false,
    accessKeyId: '',
    secretAccessKey: '',
    start: shownTime(saved.start_at, zone),
    end: shownTime(saved.end_at, zone),
    events: readEventFilters(saved.filters as Record<string, unknown>),
  };
}

/** Not every server can compress JSON lines with zstd; those that cannot say so. */
export const COMPRESSIONS: readonly { value: Compression; label: string }[] = [
  { value: '', label: 'None' },
  { value: 'gzip', label: 'gzip' },
  { value: 'zstd', label: 'zstd' },
];

/** What is missing before it can be saved; null if nothing is. `hasKeys`: credentials are stored. */
export function missingIn(draft: ExportDraft, hasKeys: boolean): string | null {
  const { name, place, bucket, region, endpoint, accessKeyId, secretAccessKey, maxFileSizeMb } = draft;
  if (name.trim() === '') return 'Give the export a name.';
  const size = Number(maxFileSizeMb);
  if (!Number.isInteger(size) || size < 1 || size > 1024) return 'The size of a file is from 1 to 1,024 MB.';
  if (place === 'Folder') return null;
  if (bucket.trim() === '') return 'Enter the bucket.';
  if (region.trim() === '') return 'Enter the region.';
  if (endpoint.trim() !== '' && !/^https?:\/\/./.test(endpoint.trim())) return 'The endpoint begins with https://.';
  if (!hasKeys && (accessKeyId.trim() === '' || secretAccessKey.trim() === '')) return 'Enter both keys.';
  return null;
}

const timeOf = (local: string, zone: string): string | null =>
  local === '' ? null : new Date(momentOf(local, zone)).toISOString();

export function bodyOf(draft: ExportDraft, zone: string): BatchExportWrite {
  const { name, model, interval, place, start, end, events } = draft;
  return {
    name: name.trim(),
    model,
    interval,
    start_at: timeOf(start, zone),
    end_at: timeOf(end, zone),
    ...(model === 'events' ? { filters: writeEventFilters(events) } : {}),
    destination: { type: place, config: { ...fileConfig(draft), ...(place === 'S3' ? storeConfig(draft) : {}) } },
  };
}

const fileConfig = ({ prefix, format, compression, maxFileSizeMb }: ExportDraft) => ({
  prefix: prefix.trim(),
  file_format: format,
  compression: compression === '' ? null : compression,
  max_file_size_mb: Number(maxFileSizeMb),
});

const storeConfig = (draft: ExportDraft) => ({
  bucket_name: draft.bucket.trim(),
  region: draft.region.trim(),
  endpoint_url: draft.endpoint.trim() === '' ? null : draft.endpoint.trim(),
  use_virtual_style_addressing: draft.isVirtualStyle,
  ...(draft.accessKeyId.trim() === '' ? {} : { aws_access_key_id: draft.accessKeyId.trim() }),
  ...(draft.secretAccessKey.trim() === '' ? {} : { aws_secret_access_key: draft.secretAccessKey.trim() }),
});

/** 's3://my-events/cairn/{year}', or the folder. */
export function describePlace({ destination }: Pick<BatchExport, 'destination'>): string {
  const { type, config } = destination as { type: Place; config: StoredConfig };
  return type === 'S3' ? `s3://${config.bucket_name}/${config.prefix}` : `Folder ${config.prefix || '/'}`;
}

export const intervalLabel = (interval: string): string =>
  INTERVALS.find(({ value }) => value === interval)?.label ?? interval;
export const modelLabel = (model: string): string => MODELS.find(({ value }) => value === model)?.label ?? model;
