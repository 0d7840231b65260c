import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';

/** Answers about a site as the API has them, for shared pages. */
export interface WebOverviews {
  overview(project: Project, fields: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** One table; `fields.by` names it. */
  breakdown(project: Project, fields: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** The lines of a file: of that table, or of the intervals where none is named. */
  csv(project: Project, fields: JsonObject, signal: AbortSignal): Promise<string[][]>;
}
