import { stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Sql } from './tables.ts';

/** The columns with a person's properties. */
export type PropertyColumns = {
  properties: string;
  /** Absent if the database generates it. */
  email?: string | null;
};

/** Nothing else writes `persons.properties`: the e-mail has to follow. */
export function propertyColumns({ dialect }: Sql, properties: JsonObject): PropertyColumns {
  const text = stringifyExact(properties);
  return dialect.generatesEmails ? { properties: text } : { properties: text, email: emailText(properties) };
}

/**
 * The e-mail as it is in the JSON of the properties. Persons are found by this text: it has quotes, to distinguish 5 from
 * "5" and null from absent.
 */
const emailText = ({ email }: JsonObject): string | null => (email === undefined ? null : stringifyExact(email));
