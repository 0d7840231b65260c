/** Checks stored events one after the other, keeping a few bytes of each. */
import type { PersonRecord } from './check-persons.ts';
import type { Fate, Ledger, SentEvent } from './ledger.ts';
import { NumberColumn } from './number-column.ts';
import { type Report, reportTo } from './report.ts';
import { UuidSet } from './uuid-set.ts';

export interface StoredRow {
  marker: string | null;
  uuid: string;
  distinctId: string;
  personId: string;
  number: number | null;
}

export class RowCheck {
  /** So far. */
  rows = 0;
  readonly #ledger: Ledger;
  readonly #persons: ReadonlyMap<string, PersonRecord>;
  readonly #reportTimes: Report;
  readonly #reportPerson: Report;
  readonly #reportOrder: Report;
  /** By the number of the event. */
  readonly #timesStored = new NumberColumn();
  readonly #uuids = new UuidSet();
  /** The last number of each distinct id. */
  readonly #last = new Map<string, number>();

  constructor(ledger: Ledger, persons: ReadonlyMap<string, PersonRecord>, violations: string[]) {
    this.#ledger = ledger;
    this.#persons = persons;
    this.#reportTimes = reportTo(violations);
    this.#reportPerson = reportTo(violations);
    this.#reportOrder = reportTo(violations);
  }

  add(row: StoredRow): void {
    this.rows++;
    const event = this.#ledger.numberOf(row.marker);
    if (event === null) this.#reportTimes(`${row.marker} is stored, but was never sent`);
    else this.#timesStored.increment(event);
    if (!this.#uuids.add(row.uuid)) this.#reportTimes(`the uuid ${row.uuid} of ${row.marker} is stored more than once`);
    this.#checkPerson(row);
  }

  #checkPerson({ marker, distinctId, personId }: StoredRow): void {
    const person = this.#persons.get(distinctId);
    if (distinctId.startsWith('nobody-')) {
      if (person) this.#reportPerson(`${distinctId} should have no person`);
    } else if (person?.uuid !== personId) {
      this.#reportPerson(`${marker} belongs to ${personId}, its id to ${person?.uuid ?? 'nobody'}`);
    }
  }

  /** For stores that keep the order: the numbers of a distinct id ascend. Call it with rows in their order. */
  checkOrder({ distinctId, number }: StoredRow): void {
    if (number === null) return;
    const last = this.#last.get(distinctId) ?? 0;
    if (number <= last) this.#reportOrder(`${distinctId}: ${number} is stored after ${last}`);
    this.#last.set(distinctId, number);
  }

  /** After the last row. Acknowledged ⊆ stored ⊆ sent, each once. */
  checkTimes(): void {
    let at = 0;
    for (const event of this.#ledger.events()) {
      const times = this.#timesStored.get(++at);
      const [min, max] = bounds(event);
      if (times >= min && times <= max) continue;
      const { marker, attempts, acknowledged } = event;
      this.#reportTimes(`${marker}: stored ${times} times; sent ${attempts}, acknowledged ${acknowledged} times`);
    }
  }
}

function bounds({ isNameless, hasIdentity, attempts, acknowledged }: SentEvent & Fate): [number, number] {
  if (isNameless) return [0, 0];
  // Without an id every accepted request is a new event, even if its response was lost.
  return hasIdentity ? [Math.min(acknowledged, 1), Math.min(attempts, 1)] : [acknowledged, attempts];
}
