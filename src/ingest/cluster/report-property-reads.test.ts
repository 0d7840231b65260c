import { afterEach, expect, it } from 'vitest';
import type { News } from '../../stores/cluster/node-messages.ts';
import { PropertyDemand, WANTED_AFTER } from '../../stores/events/property-demand.ts';
import { AskedProperties } from './report-property-reads.ts';

const MOST_BYTES_OF_NEWS = 8000;

const nodes: { asked: AskedProperties; told: News[] }[] = [];
afterEach(() => {
  for (const { asked } of nodes.splice(0)) asked.stop();
});

/** A node whose store counts as the real one does. What it tells, the others hear. */
function aNode(isKeeping: boolean) {
  const [untold, wanted] = [new PropertyDemand(), new PropertyDemand()];
  const told: News[] = [];
  const asked = new AskedProperties({
    keeper: { isKeeping },
    events: {
      takeReads: () => untold.takeAll(),
      noteReads: (reads) => {
        for (const read of reads) wanted.add(read, read.statements);
      },
    },
    news: {
      send(news) {
        told.push(news);
        for (const other of nodes) if (other.asked !== asked) other.asked.hear(news);
      },
    },
  });
  nodes.push({ asked, told });
  return { asked, told, wanted, ask: (key: string) => untold.add({ owner: 'event', key }) };
}

it('adds up at the keeper what was read at other nodes', () => {
  const [keeper, one, two] = [aNode(true), aNode(false), aNode(false)];
  for (let n = 0; n < WANTED_AFTER - 1; n++) one.ask('plan');
  two.ask('rare');
  one.asked.tell();
  two.asked.tell();
  expect(keeper.wanted.most()).toEqual([]);
  two.ask('plan');
  two.asked.tell();
  expect(keeper.wanted.most()).toEqual([{ owner: 'event', key: 'plan', statements: WANTED_AFTER }]);
  // Nobody else makes columns, and nothing is told twice.
  expect(one.wanted.takeAll()).toEqual([]);
  one.asked.tell();
  expect(one.told).toHaveLength(1);
});

it('does not tell what the keeper has counted itself, nor keep it', () => {
  const [keeper, one] = [aNode(true), aNode(false)];
  keeper.ask('plan');
  keeper.asked.tell();
  expect([keeper.told, one.wanted.takeAll()]).toEqual([[], []]);
});

it('tells many and long names in pieces that the channel takes', () => {
  const [keeper, one] = [aNode(true), aNode(false)];
  const keys = Array.from({ length: 23 }, (_, n) => '\u0001'.repeat(198) + String(n).padStart(2, '0'));
  for (const key of keys) one.ask(key);
  one.asked.tell();
  expect(keeper.wanted.takeAll().map(({ key }) => key)).toEqual(keys);
  for (const news of one.told) expect(Buffer.byteLength(JSON.stringify(news))).toBeLessThan(MOST_BYTES_OF_NEWS);
});
