/** Writes places into stored events, by rewriting the parts that they are in. */
import type { Range } from '../../core/time/range.ts';
import { type AddressPlace, placeJson } from '../events/address-place.ts';
import type { SqlValue } from '../events/event-store.ts';
import type { ClickHouseConnection } from './connection.ts';
import { mutableTable, type Topology } from './schema.ts';

/** Statements that write send their values in the URL, which servers limit to a megabyte. */
const MAX_BATCH_BYTES = 200_000;

const TEXTS = (place: string): string => `JSONExtract(${place}, 'Array(String)')`;
const ADDRESS = `JSONExtractString(properties, '$ip')`;
const UNPLACED = `project_id = $1 and timestamp >= $2 and timestamp < $3 and properties not like '%"$geoip%'
  and has(${TEXTS('$4')}, ${ADDRESS})`;

/** Returns how many events got a place. Columns of promoted properties follow by themselves. */
export async function addPlacesInClickHouse(
  { connection, topology }: { connection: ClickHouseConnection; topology: Topology },
  projectId: number,
  { from, until }: Range,
  places: readonly AddressPlace[],
): Promise<number> {
  let events = 0;
  for (const some of batches(places)) {
    const addresses = JSON.stringify(some.map(({ address }) => address));
    const values: SqlValue[] = [projectId, Math.trunc(from), Math.trunc(until), addresses];
    const [row] = await connection.queryConsistent(`select count(*) as n from event_rows where ${UNPLACED}`, values);
    const count = Number(row?.['n'] ?? 0);
    if (count === 0) continue;
    await connection.run(
      `alter table ${mutableTable(topology, 'event_rows')}
      update properties = concat(substring(properties, 1, length(properties) - 1),
        transform(${ADDRESS}, ${TEXTS('$4')}, ${TEXTS('$5')}, '}'))
      where ${UNPLACED}`,
      [...values, JSON.stringify(some.map(placeJson))],
    );
    events += count;
  }
  return events;
}

function batches(places: readonly AddressPlace[]): AddressPlace[][] {
  const all: AddressPlace[][] = [];
  let bytes = MAX_BATCH_BYTES;
  for (const one of places) {
    const own = 3 * (one.address.length + placeJson(one).length) + 20;
    bytes += own;
    if (bytes > MAX_BATCH_BYTES) {
      all.push([]);
      bytes = own;
    }
    all.at(-1)?.push(one);
  }
  return all;
}
