/**
 * Reads properties from JSON or from a promoted column. Such a column is null if the property is missing, a mark if it is
 * null, else its text; a text that starts with the mark gets a second one.
 */
import type { PropertyReading } from '../events/property-placeholders.ts';

/** `own` is a column that already holds the property's text, if any. */
export function clickhouseJsonProperty(reading: PropertyReading, json: string, key: string, own?: string): string {
  const value = own ?? valueIn(json, key);
  const exists = `JSONHas(${json}, ${key})`;
  if (reading === 'key') return exists;
  return reading === 'value' ? value : `coalesce(${value}, if(${exists}, 'null', ''))`;
}

const valueIn = (json: string, key: string): string => `JSONExtract(${json}, ${key}, 'Nullable(String)')`;

const MARK = 'char(1)';

/** The expression of a promoted column. The key is part of the table's definition, hence in hex. */
export function clickhousePromotedText(key: string): string {
  const place = `unhex('${Buffer.from(key).toString('hex')}')`;
  const value = valueIn('properties', place);
  return `coalesce(
    if(startsWith(${value}, ${MARK}), concat(${MARK}, ${value}), ${value}),
    if(JSONHas(properties, ${place}), ${MARK}, null))`;
}

export function clickhousePromotedProperty(reading: PropertyReading, column: string): string {
  if (reading === 'key') return `(${column} is not null)`;
  const value = `if(startsWith(${column}, ${MARK}), nullIf(substring(${column}, 2), ''), ${column})`;
  return reading === 'value' ? value : `coalesce(${value}, if(${column} is null, '', 'null'))`;
}
