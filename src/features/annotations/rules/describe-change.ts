/** Changes of flags and experiments as one line for a chart; only those that can change what visitors see. */
import type { Json, JsonObject } from '../../../core/json/json.ts';

interface ChangeDetail {
  /** Of the flag or experiment. */
  name: string | null;
  changes: readonly { field: string | null; after: Json }[] | null;
  /** Why the system acted; null if a user did. */
  trigger: JsonObject | null;
}

/** Entries of the activity log that are marked on charts, by their scope. */
const SUBJECTS: Readonly<Record<string, { noun: string; describe: (detail: ChangeDetail) => string | null }>> = {
  FeatureFlag: { noun: 'Flag', describe: describeFlagChange },
  Experiment: { noun: 'Experiment', describe: describeExperimentChange },
};
export const MARKED_SCOPES: readonly string[] = Object.keys(SUBJECTS);

interface ChangeEntry {
  scope: string;
  activity: string;
  detail: ChangeDetail;
}

/** Null if nobody could notice it, such as a new description. */
export function describeChange({ scope, activity, detail }: ChangeEntry): string | null {
  const subject = SUBJECTS[scope];
  if (subject === undefined) return null;
  const what = activity === 'created' ? createdText(scope) : subject.describe(detail);
  return what === null ? null : `${subject.noun} ${detail.name ?? ''} ${what}`;
}

/** A new experiment is a draft, which nobody sees. */
const createdText = (scope: string): string | null => (scope === 'FeatureFlag' ? 'created' : null);

function describeFlagChange({ changes, trigger }: ChangeDetail): string | null {
  if (trigger?.['job_type'] === 'rollback') return 'rolled back';
  const after = (field: string) => changes?.find((change) => change.field === field)?.after;
  if (after('deleted') !== undefined) return after('deleted') === true ? 'deleted' : 'restored';
  if (after('active') !== undefined) return after('active') === true ? 'enabled' : 'disabled';
  return after('filters') === undefined ? null : 'changed';
}

function describeExperimentChange({ changes }: ChangeDetail): string | null {
  const after = (field: string) => changes?.find((change) => change.field === field)?.after;
  if (after('end_date') !== undefined) return after('end_date') === null ? 'resumed' : 'ended';
  if (after('start_date') !== undefined) return after('start_date') === null ? 'reset' : 'started';
  return null;
}
