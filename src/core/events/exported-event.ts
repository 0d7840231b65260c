import type { JsonObject } from '../json/json.ts';

/** An event in an export: the columns of PostHog's batch exports. */
export interface ExportedEvent {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  /** ISO 8601. */
  timestamp: string;
  created_at: string;
  elements_chain: string;
  properties: JsonObject;
}

/** A person in an export; PostHog's exports have a line for each distinct id instead. */
export interface ExportedPerson {
  person_id: string;
  distinct_ids: string[];
  created_at: string;
  is_identified: boolean;
  properties: JsonObject;
}
