/** How properties are read from JSON: ClickHouse finds a key as it is, whatever is in it. */
import type { Reading } from '../property-notes.ts';

/** `own` is a column that holds the property's text already, if there is one. */
export function readJson(reading: Reading, json: string, key: string, own?: string): string {
  const value = own ?? `JSONExtract(${json}, ${key}, 'Nullable(String)')`;
  const exists = `JSONHas(${json}, ${key})`;
  if (reading === 'key') return exists;
  return reading === 'value' ? value : `coalesce(${value}, if(${exists}, 'null', ''))`;
}
