/** Schedules changes that were approved. */
import { isJsonObject, type JsonObject } from '../../core/json/json.ts';
import type { ChangeMaker } from '../approvals/change-requests.ts';
import type { ChangeRequest } from '../approvals/rules/approval-records.ts';
import type { FlagDeps } from '../flags/manage/flags.ts';
import { addScheduledChange, type ChangeInput, changeScheduledChange, flagAfterwards } from './scheduled-changes.ts';

/** As `wantedChange` wrote it. */
function scheduleOf({ intent }: ChangeRequest): { id: number | null; input: ChangeInput & { payload: JsonObject } } {
  const { id = null, input = {} } = intent.schedule ?? {};
  const given = isJsonObject(input) ? (input as ChangeInput) : {};
  return { id: typeof id === 'number' ? id : null, input: { ...given, payload: given.payload ?? {} } };
}

export const scheduleMaker = (deps: FlagDeps): ChangeMaker => ({
  async make(store, { request, project, requester }) {
    const { id, input } = scheduleOf(request);
    const made =
      id === null
        ? await addScheduledChange(deps, store, requester, project, request.flagId ?? -1, input, request.id)
        : await changeScheduledChange(deps, store, requester, project, id, input, request.id);
    return { scheduled_change_id: made.id };
  },
  async preview(store, request) {
    const before = await store.flags.get(request.projectId, request.flagId ?? -1);
    return before && { before, after: flagAfterwards(scheduleOf(request).input.payload, before) };
  },
});
