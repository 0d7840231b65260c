/** The properties of an event as the event store gets them: as JSON, and as the texts of those that have columns. */
import { hotProperties } from '../../core/events/hot-properties.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';

export interface WrittenProperties {
  /** What was written: an event that got other properties since is written again. */
  of: JsonObject;
  json: string;
  hot: (string | null)[];
}

export const writeProperties = (properties: JsonObject): WrittenProperties => ({
  of: properties,
  json: stringifyExact(properties),
  hot: hotProperties(properties),
});
