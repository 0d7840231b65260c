import type { JsonObject } from '../../../core/json/json.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { ChangePreview, VoteDeps } from '../change-requests.ts';

export interface ApprovalRouteDeps extends RouteDeps, VoteDeps {
  config: RouteDeps['config'];
  /** Whose value a change of a flag would alter. */
  measureFlagChange(projectId: number, preview: ChangePreview): Promise<JsonObject>;
}
