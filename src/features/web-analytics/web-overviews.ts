import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';

/** The overview of a site, as the API has it, for shared pages. */
export interface WebOverviews {
  overview(project: Project, fields: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}
