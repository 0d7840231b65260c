import { ApiError } from '../../api/api-error.ts';
import { toast } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';

/** Runs a change of a flag. One that has to be approved is no error: its request is opened. True if it was made. */
export async function orAskForApproval(projectId: number, change: () => Promise<void>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.changeRequest === null) throw error;
    toast('The change waits for approval.');
    navigate(pathTo('approval', { project: projectId, request: error.changeRequest }) ?? '/');
    return false;
  }
}
