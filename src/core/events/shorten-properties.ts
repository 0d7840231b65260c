import { stringifyExact } from '../json/exact-json.ts';
import type { Json } from '../json/json.ts';
import { truncateText } from '../json/text.ts';
import { isHotProperty } from './hot-properties.ts';

/** Longer values are cut. Nobody filters or breaks down by more of a text. */
export const MAX_SHORTENED_VALUE = 2000;

type Properties = Readonly<Record<string, Json>>;

/**
 * The properties of a large event as far as they fit into `maxBytes` of JSON, long values cut. The most queried
 * properties come first; of the others, those that no longer fit are left out.
 */
export function shortenProperties(properties: Properties, maxBytes: number): Properties {
  const short: [string, Json][] = [];
  let left = maxBytes - '{}'.length;
  for (const [key, value] of hotFirst(Object.entries(properties))) {
    const cut = shortenValue(value);
    const bytes = Buffer.byteLength(`${JSON.stringify(key)}:${stringifyExact(cut)},`);
    if (bytes > left) continue;
    left -= bytes;
    short.push([key, cut]);
  }
  return Object.fromEntries(short);
}

const hotFirst = (entries: readonly [string, Json][]): [string, Json][] => [
  ...entries.filter(([key]) => isHotProperty(key)),
  ...entries.filter(([key]) => !isHotProperty(key)),
];

/** A long list or object becomes the beginning of its JSON, as text. */
function shortenValue(value: Json): Json {
  if (typeof value === 'string') return truncateText(value, MAX_SHORTENED_VALUE);
  const json = stringifyExact(value);
  return json.length > MAX_SHORTENED_VALUE ? truncateText(json, MAX_SHORTENED_VALUE) : value;
}
