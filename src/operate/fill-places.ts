/**
 * Looks up the places of stored events that have an address and no place: of those from before Cairn looked places up, or
 * from before `GEOIP_FILE` was set for the first time. It goes through a day after the other, some addresses at a time, and
 * each of these steps is written at once: it may be stopped at any time, and run again.
 */
import type { Range } from '../core/time/range.ts';
import { DAY_MS } from '../core/time/units.ts';
import type { AddressPlace } from '../stores/events/address-place.ts';
import { addressSql, isUnplacedSql } from '../stores/events/unplaced-events.ts';
import type { OperateDeps } from './deps.ts';
import { chosenProject } from './lookups.ts';
import type { Operation } from './operation.ts';

interface FilledPlaces {
  /** Events that have a place now. */
  events: number;
  /** Whether the project looks places up at all. */
  isOn: boolean;
}

/** So many addresses are looked up at a time. */
const ADDRESSES_PER_STEP = 5000;

export const fillPlaces: Operation<{ project: number }, FilledPlaces> = async (deps, { project: id }, outlet) => {
  const { webAnalytics } = await chosenProject(deps.metadata, id);
  const filled: FilledPlaces = { events: 0, isOn: webAnalytics.geoip };
  if (!webAnalytics.geoip) return filled;
  for (let day = await nextDay(deps, id, null); day !== null; day = await nextDay(deps, id, day.until)) {
    for (let after = ''; ; ) {
      outlet.signal.throwIfAborted();
      const addresses = await listAddresses(deps, id, day, after);
      const places = placesOf(deps, addresses);
      if (places.length > 0) filled.events += await deps.addPlaces(id, day, places);
      outlet.progress({ what: 'events with a place', done: filled.events, total: null });
      const last = addresses.at(-1);
      if (last === undefined || addresses.length < ADDRESSES_PER_STEP) break;
      after = last;
    }
  }
  return filled;
};

const placesOf = ({ geoip }: OperateDeps, addresses: readonly string[]): AddressPlace[] =>
  addresses.flatMap((address) => {
    const place = geoip.placeOf(address);
    return place === null ? [] : [{ address, place }];
  });

/** The next day (UTC) with an event. */
async function nextDay(
  { eventQueries, events }: OperateDeps,
  projectId: number,
  after: number | null,
): Promise<Range | null> {
  const sql = eventQueries.dialect.newStatement('e');
  const later = after === null ? 'true' : `e.timestamp >= ${sql.time(after)}`;
  const [row] = await events.query(
    `select min(${sql.ms('e.timestamp')}) as first, count(*) as n from event_rows e
    where e.project_id = ${sql.param(projectId)} and ${later}`,
    sql.values,
  );
  if (Number(row?.['n'] ?? 0) === 0) return null;
  const from = Math.floor(Number(row?.['first']) / DAY_MS) * DAY_MS;
  return { from, until: from + DAY_MS };
}

async function listAddresses(
  { eventQueries, events }: OperateDeps,
  projectId: number,
  day: Range,
  after: string,
): Promise<string[]> {
  const sql = eventQueries.dialect.newStatement('e');
  const address = addressSql(sql);
  const unplaced = isUnplacedSql(sql, projectId, day);
  const rows = await events.query(
    `select distinct ${address} as address from event_rows e
    where ${unplaced} and ${address} > ${sql.param(after)} order by 1 limit ${ADDRESSES_PER_STEP}`,
    sql.values,
  );
  return rows.map((row) => String(row['address']));
}
