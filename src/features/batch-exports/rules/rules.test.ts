import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json/json.ts';
import { exportPlace, presentDestination, readDestination } from './export-destination.ts';
import { countIntervals, EXPORT_INTERVALS, intervalEnd, intervalStart } from './export-interval.ts';
import { extensionOf, manifestName, partName, readPrefix } from './export-names.ts';
import { runAgain } from './run-again.ts';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString();

describe('intervals of an export', () => {
  it.each([
    ['every 5 minutes', '2026-11-15T10:04:59.999Z', '2026-11-15T10:00:00.000Z', '2026-11-15T10:05:00.000Z'],
    ['hour', '2026-11-15T10:59:00Z', '2026-11-15T10:00:00.000Z', '2026-11-15T11:00:00.000Z'],
    ['day', '2026-03-29T23:00:00Z', '2026-03-29T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
    // A Sunday: weeks begin on Monday.
    ['week', '2026-11-15T10:00:00Z', '2026-11-09T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['week', '2026-11-16T00:00:00Z', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
  ] as const)('%s around %s', (interval, time, start, end) => {
    expect(iso(intervalStart(interval, at(time)))).toBe(start);
    expect(iso(intervalEnd(interval, at(time)))).toBe(end);
  });

  it('follow each other without a gap, and are counted', () => {
    for (const interval of EXPORT_INTERVALS) {
      const start = intervalStart(interval, at('2026-11-15T10:17:00Z'));
      const end = intervalEnd(interval, start);
      expect(intervalStart(interval, end)).toBe(end);
      expect(intervalStart(interval, end - 1)).toBe(start);
      expect(countIntervals(interval, start, end)).toBe(1);
      expect(countIntervals(interval, start + 1, end + 1)).toBe(2);
    }
  });
});

describe('names of files', () => {
  const run = { model: 'events', startAt: at('2026-01-02T03:00:00Z'), endAt: at('2026-01-02T04:00:00Z') } as const;

  it('are filled in from the start of the run, and the same at every attempt', () => {
    const prefix = 'lake/{model}/{year}-{month}-{day}T{hour}/{data_interval_end}';
    const folder = 'lake/events/2026-01-02T03/2026-01-02T04-00-00Z';
    const interval = '2026-01-02T03-00-00Z_2026-01-02T04-00-00Z';
    expect(partName(prefix, run, 7, { extension: 'parquet' })).toBe(`${folder}/${interval}/part-007.parquet`);
    expect(manifestName(prefix, run)).toBe(`${folder}/manifest_${interval}.json`);
    expect(manifestName('', run)).toBe(`manifest_${interval}.json`);
    expect(partName('', run, 1234, { extension: 'jsonl' })).toBe(`${interval}/part-1234.jsonl`);
  });

  it('end as their format and compression say', () => {
    expect(extensionOf('Parquet', 'zstd')).toBe('parquet');
    expect(extensionOf('JSONLines', 'gzip')).toBe('jsonl.gz');
    expect(extensionOf('JSONLines', 'zstd')).toBe('jsonl.zst');
    expect(extensionOf('JSONLines', null)).toBe('jsonl');
  });

  it.each(['..', 'a/../b', 'a//b', './a', 'a/{yaer}', 'a{', 'a}', 'a\\b', 'a\u0000b', 'x'.repeat(2000)])(
    'have no prefix %j',
    (prefix) => {
      expect(() => readPrefix('destination', 'prefix', prefix)).toThrow(/prefix/);
    },
  );

  it('have a prefix without slashes around it', () => {
    expect(readPrefix('destination', 'prefix', '/a/{year}/')).toBe('a/{year}');
    expect(readPrefix('destination', 'prefix', null)).toBe('');
  });
});

describe('the place of files', () => {
  const s3 = {
    type: 'S3',
    config: { bucket_name: 'my-events', aws_access_key_id: 'id', aws_secret_access_key: 'secret' },
  };
  const read = (given: Json) => readDestination(given, null);

  it('has defaults, and shows no credentials', () => {
    const { type, config } = presentDestination(read(s3)) as { type: string; config: Record<string, Json> };
    expect(type).toBe('S3');
    expect(config).toEqual({
      bucket_name: 'my-events',
      region: 'us-east-1',
      endpoint_url: null,
      use_virtual_style_addressing: false,
      aws_access_key_id: '******',
      aws_secret_access_key: '******',
      prefix: '',
      file_format: 'JSONLines',
      compression: null,
      max_file_size_mb: 64,
    });
  });

  it('keeps what is not given, and credentials that come back hidden', () => {
    const before = read(s3);
    const again = { type: 'S3', config: { region: 'eu-central-1', aws_secret_access_key: '******' } };
    expect(readDestination(again, before)).toEqual({ ...before, region: 'eu-central-1' });
    expect(readDestination(undefined, before)).toBe(before);
  });

  it.each<[string, Json]>([
    ['no type', { config: {} }],
    ['another type', { type: 'BigQuery', config: {} }],
    ['an unknown field', { type: 'Folder', config: { bucket_name: 'x' } }],
    ['a field of Amazon that would change what is stored', { ...s3, config: { ...s3.config, kms_key_id: 'k' } }],
    ['no bucket', { type: 'S3', config: { ...s3.config, bucket_name: '' } }],
    ['a bucket that is a path', { type: 'S3', config: { ...s3.config, bucket_name: 'a/b' } }],
    ['hidden credentials of nothing', { type: 'S3', config: { ...s3.config, aws_access_key_id: '******' } }],
    ['credentials of two lines', { type: 'S3', config: { ...s3.config, aws_secret_access_key: 'a\nb' } }],
    ['an endpoint with a path', { type: 'S3', config: { ...s3.config, endpoint_url: 'https://example.org/a' } }],
    ['an unknown compression', { type: 'Folder', config: { compression: 'brotli' } }],
    ['an unknown format', { type: 'Folder', config: { file_format: 'CSV' } }],
    ['files without a size', { type: 'Folder', config: { max_file_size_mb: 0 } }],
    ['a region with a slash', { type: 'S3', config: { ...s3.config, region: 'eu/x' } }],
  ])('is refused with %s', (_name, given) => {
    expect(() => read(given)).toThrow();
  });

  it('is the same for two exports that would overwrite each other', () => {
    const folder = (prefix: string) => read({ type: 'Folder', config: { prefix } });
    expect(exportPlace(folder('a/{model}'), 'events')).toBe(exportPlace(folder('a/events'), 'events'));
    expect(exportPlace(folder('a/{model}'), 'events')).not.toBe(exportPlace(folder('a/{model}'), 'persons'));
    expect(exportPlace(folder('a'), 'events')).not.toBe(exportPlace(read(s3), 'events'));
  });
});

it('a run that is repeated starts anew, under its id', () => {
  const run = {
    id: 'r',
    status: 'Failed',
    attempts: 9,
    claimedAt: 1,
    failingSince: 2,
    retryAt: 3,
    error: 'no such bucket',
    manifest: 'm',
    finishedAt: 4,
    updatedAt: 5,
  };
  expect(runAgain(run, 77)).toEqual({
    id: 'r',
    status: 'Starting',
    attempts: 0,
    claimedAt: 77,
    failingSince: null,
    retryAt: null,
    error: null,
    manifest: null,
    finishedAt: null,
    updatedAt: 77,
  });
});
