/** Reads the body of a request that creates or changes a flag; only what was sent is set. */
import type { Static } from '@sinclair/typebox';
import { invalid } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { parseTimestamp } from '../../../core/time/parse-timestamp.ts';
import type { FlagChanges } from '../manage/flag-fields.ts';
import type { BaseVersion } from '../manage/flags.ts';
import type { FlagChangeSchema } from './flag-schemas.ts';

type Body = Static<typeof FlagChangeSchema>;

export function readFlagChanges(body: Body): FlagChanges {
  if (body.has_encrypted_payloads === true) {
    throw invalid(
      'has_encrypted_payloads',
      'Encrypted payloads are not supported: payloads are stored as they are sent.',
    );
  }
  const changes: { [field in keyof FlagChanges]: FlagChanges[field] | undefined } = {
    key: body.key,
    name: body.name,
    filters: body.filters as JsonObject | undefined,
    deleted: body.deleted,
    active: body.active,
    createdAt: body.created_at === undefined ? undefined : readTime(body.created_at),
    ensureExperienceContinuity: orDefault(body.ensure_experience_continuity, false),
    rollbackConditions: body.rollback_conditions as Json | undefined,
    performedRollback: body.performed_rollback,
    tags: body.tags && readTags(body.tags),
    evaluationRuntime: body.evaluation_runtime,
    bucketingIdentifier: orDefault(body.bucketing_identifier, 'distinct_id' as const),
    isRemoteConfiguration: orDefault(body.is_remote_configuration, false),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

export const readBaseVersion = ({ version, original_flag }: Body): BaseVersion => ({
  version: version ?? null,
  original: (original_flag as JsonObject | null | undefined) ?? null,
});

/** `If-Match: "3"`: only if the flag still has version 3. Ours; other tags are ignored. */
export function readExactVersion(ifMatch: string | undefined): number | undefined {
  const version = /^"?(\d{1,15})"?$/.exec(ifMatch ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
}

/** Null means the default; undefined means not sent. */
const orDefault = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value);

/** `Beta ` and `beta` are the same tag. */
const readTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '')),
];

function readTime(text: string): number {
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  throw invalid(
    'created_at',
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  );
}
