import { MAX_CONTAINERS, MIN_CHECKED_BYTES } from '../../../core/json/count-containers.ts';
import { ListFinder } from '../../../core/json/find-list.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { createPause } from '../../../lib/in-batches.ts';
import { malformed } from './decode-failures.ts';

/** Each takes about a millisecond. */
const CHUNK_SIZES = { worth: MIN_CHECKED_BYTES, look: 256 * 1024, run: 64 * 1024 };

/**
 * Parses the body of a request. Twenty megabytes would block the thread for a good part of a second, so the events of a
 * large body are parsed in batches with pauses in between.
 */
export async function parseBody(payload: Buffer, pieces = CHUNK_SIZES): Promise<unknown> {
  if (payload.length < pieces.worth) return parseJson(payload.toString('utf8'));
  const pause = createPause();
  const list = new ListFinder(payload, pieces.run);
  while (list.scan(pieces.look)) {
    requireFewContainers(list);
    await pause();
  }
  requireFewContainers(list);
  if (list.open === -1 || list.isAmbiguous) return parseJson(payload.toString('utf8'));
  const end = list.close === -1 ? payload.length : list.close;
  // What is around the list first: errors there are found before the work begins.
  const around = parseJson(payload.toString('utf8', 0, list.open + 1) + payload.toString('utf8', end));
  const items: unknown[] = [];
  let from = list.open + 1;
  for (const cut of [...list.separators, end]) {
    const isOnly = from === list.open + 1 && cut === end;
    for (const item of parseRun(payload.toString('utf8', from, cut), isOnly)) items.push(item);
    from = cut + 1;
    await pause();
  }
  return isJsonObject(around) ? Object.assign(around, { batch: items }) : items;
}

/** The only run of a list may be empty; between commas there must be something. */
function parseRun(text: string, isOnly: boolean): unknown[] {
  const items = parseJson(`[${text}]`) as unknown[];
  if (items.length === 0 && !isOnly) throw malformed('Invalid JSON: there is nothing after a comma');
  return items;
}

const requireFewContainers = ({ containers }: ListFinder): void => {
  if (containers > MAX_CONTAINERS) throw malformed('Invalid JSON: more lists and objects than this server takes');
};
