/**
 * How properties are read: from JSON, in which ClickHouse finds a key as it is, whatever is in it, or from a promoted
 * column. Such a column tells apart what the JSON does: nothing where the property is missing, a mark where it is null,
 * else its text; a text that itself begins with the mark gets one more in front.
 */
import type { PropertyReading } from '../events/property-placeholders.ts';

/** `own` is a column that holds the property's text already, if there is one. */
export function clickhouseJsonProperty(reading: PropertyReading, json: string, key: string, own?: string): string {
  const value = own ?? valueIn(json, key);
  const exists = `JSONHas(${json}, ${key})`;
  if (reading === 'key') return exists;
  return reading === 'value' ? value : `coalesce(${value}, if(${exists}, 'null', ''))`;
}

const valueIn = (json: string, key: string): string => `JSONExtract(${json}, ${key}, 'Nullable(String)')`;

const MARK = 'char(1)';

/** What a promoted column holds, as ClickHouse works it out itself. The key is part of the table: hence in hex. */
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
