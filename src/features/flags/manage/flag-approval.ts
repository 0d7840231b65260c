/** What policies see of a flag's change, and what becomes of changes that wait when the flag changes meanwhile. */
import type { Caller } from '../../../access/callers.ts';
import { Failure } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { notifyVotersAgain } from '../../approvals/notify-people.ts';
import { coveringPolicies, requireApproval } from '../../approvals/require-approval.ts';
import type { ApprovalPolicy, ChangeIntent, ChangeRequest } from '../../approvals/rules/approval-records.ts';
import type { FlagState } from '../../approvals/rules/policy.ts';
import { withExplicitGroups } from '../rules/filters-shape.ts';
import { checkFlag, validateChanges } from './flag-checks.ts';
import { mergeChanges } from './flag-conflicts.ts';
import { changesFromFields, type FlagChanges, visibleFields } from './flag-fields.ts';

type NewFlag = Omit<FeatureFlag, 'id'>;

/** Throws if the change has to wait. Returns the policy that the caller passes by, if there is one. */
export const requireFlagApproval = (
  store: MetadataStore,
  project: Pick<Project, 'id' | 'organizationId'>,
  caller: Caller,
  before: FeatureFlag | null,
  after: NewFlag,
): Promise<ApprovalPolicy | null> =>
  requireApproval(store, {
    project,
    caller,
    kind: before === null ? 'create' : 'update',
    flagId: before?.id ?? null,
    flagKey: before?.key ?? after.key,
    baseVersion: before?.version ?? null,
    steps: [{ before: before && flagState(before), after: flagState(after) }],
    intent: intentOf(before, after),
  });

/** Whether a policy covers the change, whoever makes it. */
export const needsFlagApproval = async (
  store: MetadataStore,
  before: FeatureFlag | null,
  after: NewFlag,
): Promise<boolean> => {
  const step = { before: before && flagState(before), after: flagState(after) };
  return (await coveringPolicies(store, after.projectId, [step])).length > 0;
};

/** Filters that mean the same are the same. */
export const flagState = (flag: NewFlag): FlagState => ({ ...flag, filters: withExplicitGroups(flag.filters) });

const asJson = (promotedFrom: FeatureFlag['promotedFrom'] | undefined): Json =>
  promotedFrom ? { ...promotedFrom } : null;

/** The fields that change. */
export function intentOf(before: NewFlag | null, after: NewFlag): ChangeIntent {
  const [old, now] = [before === null ? {} : visibleFields(before), visibleFields(after)];
  const names = Object.keys(now).filter((name) => !jsonEqual(old[name] ?? null, now[name]));
  const pick = (from: Readonly<Record<string, Json>>): JsonObject =>
    Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
  const isPromoted = !jsonEqual(asJson(before?.promotedFrom), asJson(after.promotedFrom));
  const promoted = isPromoted ? { promoted_from: asJson(after.promotedFrom) } : {};
  return { before: before === null ? {} : pick(old), after: { ...pick(now), ...promoted }, schedule: null };
}

/**
 * Changes of the same flag that wait. Where both changed the same field, the waiting one is stale. Otherwise it is asked
 * for anew on top of this change: approvals were given for something else.
 */
export async function reviseRequests(
  deps: { clock: Clock; config: { publicUrl: string | null } },
  store: MetadataStore,
  project: Pick<Project, 'id' | 'organizationId'>,
  before: FeatureFlag,
  after: FeatureFlag,
): Promise<void> {
  for (const request of await store.changeRequests.listPendingOf(after.projectId, after.id)) {
    // A scheduled change is applied to the flag as it is then.
    if (request.kind !== 'update' || request.validationStatus === 'stale') continue;
    const now = deps.clock.now();
    const revised = await rebased(store, before, after, request);
    if ('error' in revised) {
      const stale = { validationStatus: 'stale', validationError: revised.error, validatedAt: now } as const;
      await store.changeRequests.update({ ...request, ...stale, updatedAt: now });
      continue;
    }
    const voters = (await store.changeRequests.listVotes([request.id])).map(({ userId }) => userId);
    await store.changeRequests.deleteVotes(request.id);
    const fresh = { baseVersion: after.version, blastRadius: null, validatedAt: now, updatedAt: now };
    const anew = { ...request, ...fresh, intent: revised.intent };
    await store.changeRequests.update(anew);
    await notifyVotersAgain(deps, store, project, anew, voters);
  }
}

async function rebased(
  store: MetadataStore,
  before: FeatureFlag,
  after: FeatureFlag,
  { intent }: ChangeRequest,
): Promise<{ intent: ChangeIntent } | { error: string }> {
  const changes = mergeChanges(visibleFields(before), after, changesFromFields(intent.after));
  if (changes === null) return { error: 'The flag was changed in the same fields since.' };
  const wanted = { ...after, ...changes };
  const anew = intentOf(after, wanted);
  if (Object.keys(anew.after).every((name) => name === 'promoted_from'))
    return { error: 'The flag is as this change wants it already.' };
  const problem = await problemOf(store, after, wanted, changes);
  return problem === null ? { intent: anew } : { error: problem };
}

async function problemOf(
  store: MetadataStore,
  before: FeatureFlag,
  after: FeatureFlag,
  changes: FlagChanges,
): Promise<string | null> {
  try {
    validateChanges(changes);
    await checkFlag(store, before, after);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
