import { describe, expect, it } from 'vitest';
import type { BatchExport } from '../../api/batch-exports.ts';
import { bodyOf, describePlace, draftOf, type ExportDraft, missingIn, newDraft } from './export-draft.ts';

const KEYS = { accessKeyId: 'id', secretAccessKey: 'secret' };
const draft = (changes: Partial<ExportDraft> = {}): ExportDraft => ({
  ...newDraft(),
  name: 'Lake',
  bucket: 'my-events',
  ...KEYS,
  ...changes,
});

describe('the draft of an export', () => {
  it('says what is missing', () => {
    const cases: [Partial<ExportDraft>, string | null][] = [
      [{}, null],
      [{ name: ' ' }, 'Give the export a name.'],
      [{ bucket: '' }, 'Enter the bucket.'],
      [{ region: '' }, 'Enter the region.'],
      [{ endpoint: 'minio' }, 'The endpoint begins with https://.'],
      [{ secretAccessKey: '' }, 'Enter both keys.'],
      [{ maxFileSizeMb: '0' }, 'The size of a file is from 1 to 1,024 MB.'],
      [{ place: 'Folder', bucket: '', secretAccessKey: '' }, null],
    ];
    for (const [changes, expected] of cases) expect(missingIn(draft(changes), false)).toBe(expected);
    expect(missingIn(draft({ secretAccessKey: '', accessKeyId: '' }), true)).toBeNull();
  });

  it('sends times of the project, and keys only when they are typed', () => {
    const typed = bodyOf(draft({ start: '2026-11-15T10:00', interval: 'day' }), 'Europe/Berlin');
    expect(typed).toMatchObject({ interval: 'day', start_at: '2026-11-15T09:00:00.000Z', end_at: null });
    expect(typed.destination).toMatchObject({ config: { aws_access_key_id: 'id', aws_secret_access_key: 'secret' } });
    const kept = bodyOf(draft({ accessKeyId: '', secretAccessKey: '' }), 'UTC');
    expect(JSON.stringify(kept.destination)).not.toContain('aws_');
    expect(bodyOf(draft({ place: 'Folder' }), 'UTC').destination).toEqual({
      type: 'Folder',
      config: {
        prefix: 'cairn/{model}/{year}/{month}/{day}',
        file_format: 'Parquet',
        compression: 'zstd',
        max_file_size_mb: 64,
      },
    });
    expect(bodyOf(draft({ model: 'persons' }), 'UTC').filters).toBeUndefined();
  });

  it('reads what is stored, in the time of the project', () => {
    const stored = {
      ...bodyOf(draft({ start: '2026-07-01T00:30', format: 'JSONLines', compression: 'gzip' }), 'Europe/Berlin'),
    } as unknown as BatchExport;
    expect(stored.start_at).toBe('2026-06-30T22:30:00.000Z');
    expect(draftOf(stored, 'Europe/Berlin')).toEqual({
      ...draft({ start: '2026-07-01T00:30', format: 'JSONLines', compression: 'gzip' }),
      accessKeyId: '',
      secretAccessKey: '',
    });
    expect(describePlace(stored)).toBe('s3://my-events/cairn/{model}/{year}/{month}/{day}');
  });
});
