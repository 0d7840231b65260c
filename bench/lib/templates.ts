/** Bodies for the load generator, with new IDs at every send. */

import { randomBytes } from 'node:crypto';
import { seeded } from '../../src/features/demo/rules/seeded-random.ts';
import type { Template } from './load.ts';

const BODIES = 50;
/** A batch of 100 has five events of each of twenty persons. */
const PERSONS_PER_BODY = 20;
const UUID_LENGTH = 36;
const PERSON_LENGTH = 8;
const PERSON_MARK = 'person-';

let lastId = 0;

/** Time-ordered ids, as SDKs make them; the counter makes each one new. */
function nextUuid(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  const count = (++lastId).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}`;
}

const ID_BYTES = 16;
const POOL_IDS = 4096;
let pool = Buffer.alloc(0);

/** Random ids (v4), as many servers make them. Random bytes are made for thousands at a time, which costs little. */
function randomUuid(): string {
  if (pool.length === 0) pool = randomBytes(POOL_IDS * ID_BYTES);
  const hex = pool.toString('hex', 0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Makes one event: `browserEvent` or `serverEvent`. */
export type MakeEvent = (random: () => number, person: number, uuid: string, timestamp: string) => object;

interface TemplateOptions {
  key: string;
  event: MakeEvent;
  eventsPerBody: number;
  persons: number;
  seed: number;
  /** Instead of time-ordered ones. */
  hasRandomIds?: boolean;
}

/** `eventsPerBody` 1 gives single events, more give batches. */
export function makeTemplates(options: TemplateOptions): Template[] {
  const { key, event, eventsPerBody, persons, seed, hasRandomIds = false } = options;
  const random = seeded(seed);
  const newUuid = hasRandomIds ? randomUuid : nextUuid;
  return Array.from({ length: BODIES }, () => {
    const events = Array.from({ length: eventsPerBody }, () =>
      event(random, Math.floor(random() * persons), newUuid(Date.now()), new Date().toISOString()),
    );
    const body = eventsPerBody === 1 ? { api_key: key, ...events[0] } : { api_key: key, batch: events };
    const bytes = Buffer.from(JSON.stringify(body));
    const uuids = offsetsOf(bytes, '"uuid":"', 0);
    const people = offsetsOf(bytes, `"distinct_id":"${PERSON_MARK}`, 0);
    return {
      bytes,
      events: eventsPerBody,
      refresh: (target: Buffer) => {
        const now = Date.now();
        for (const at of uuids) target.write(newUuid(now), at, UUID_LENGTH, 'latin1');
        const first = Math.floor(random() * persons);
        for (const [index, at] of people.entries()) {
          const person = (first + (index % PERSONS_PER_BODY)) % persons;
          target.write(String(person).padStart(PERSON_LENGTH, '0'), at, PERSON_LENGTH, 'latin1');
        }
      },
    };
  });
}

function offsetsOf(bytes: Buffer, mark: string, from: number): number[] {
  const at = bytes.indexOf(mark, from);
  return at === -1 ? [] : [at + mark.length, ...offsetsOf(bytes, mark, at + mark.length)];
}
