/** Makes changes of flags that were approved. */
import { getFlagPermissions } from '../../../access/flag-permissions.ts';
import { FEATURE_FLAGS_RESOURCE, requireEditor } from '../../../access/resources.ts';
import { Failure, forbidden } from '../../../core/errors.ts';
import type { ChangeMaker } from '../../approvals/change-requests.ts';
import type { ChangeRequest } from '../../approvals/rules/approval-records.ts';
import { checkFlag, validateChanges } from './flag-checks.ts';
import { changesFromFields } from './flag-fields.ts';
import { addFlag, type FlagDeps, flagWithDefaults, getFlag, saveChange, withChanges } from './flags.ts';

const changesOf = ({ intent }: ChangeRequest) => changesFromFields(intent.after);

export const flagCreator = (deps: FlagDeps): ChangeMaker => ({
  async make(store, { request, project, requester, trigger }) {
    await requireEditor(store, requester, project.organizationId, [FEATURE_FLAGS_RESOURCE]);
    const given = { ...changesOf(request), key: request.flagKey };
    validateChanges(given);
    const flag = flagWithDefaults(project.id, requester, given, deps.clock.now());
    const by = { userId: requester.user.id, trigger, approval: 'given' } as const;
    const { id, version } = await addFlag(deps, store, project, flag, by);
    return { flag_id: id, version };
  },
  async preview(store, request) {
    const user = request.createdBy === null ? null : await store.users.get(request.createdBy);
    if (user === null) return null;
    const given = { ...changesOf(request), key: request.flagKey };
    const caller = { user, memberships: [], via: 'session' } as const;
    return { before: null, after: { ...flagWithDefaults(request.projectId, caller, given, deps.clock.now()), id: -1 } };
  },
});

export const flagUpdater = (deps: FlagDeps): ChangeMaker => ({
  async make(store, { request, project, requester, trigger }) {
    const before = await getFlag(store, project.id, request.flagId ?? -1);
    // Changes of the flag revise the requests that wait, so this never happens; it must not.
    if (before.version !== request.baseVersion) throw new Failure('conflict', 'The flag was changed since.');
    const rights = await getFlagPermissions(store, requester, project.organizationId);
    if (!rights.canEdit(before)) throw forbidden(`${requester.user.email} may no longer edit the flag.`);
    const changes = changesOf(request);
    validateChanges(changes);
    const after = { ...withChanges(before, changes, deps.clock.now()), lastModifiedBy: requester.user.id };
    await checkFlag(store, before, after);
    await saveChange(deps, store, project, before, after, { userId: requester.user.id, trigger, approval: 'given' });
    return { flag_id: after.id, version: after.version };
  },
  async preview(store, request) {
    const before = await store.flags.get(request.projectId, request.flagId ?? -1);
    return before && { before, after: withChanges(before, changesOf(request), deps.clock.now()) };
  },
});
