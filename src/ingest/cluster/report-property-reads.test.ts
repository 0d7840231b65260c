import { afterEach, expect, it } from 'vitest';
import type { NodeMessage } from '../../stores/cluster/node-messages.ts';
import { PROMOTE_AFTER_READS, PropertyUsage } from '../../stores/events/property-usage.ts';
import { PropertyReadReporter } from './report-property-reads.ts';

const MOST_BYTES_OF_NEWS = 8000;

const nodes: { asked: PropertyReadReporter; told: NodeMessage[] }[] = [];
afterEach(() => {
  for (const { asked } of nodes.splice(0)) asked.stop();
});

/** A node whose store counts as the real one does. What it tells, the others hear. */
function aNode(isOwner: boolean) {
  const [untold, wanted] = [new PropertyUsage(), new PropertyUsage()];
  const told: NodeMessage[] = [];
  const asked = new PropertyReadReporter({
    owner: { isOwner },
    events: {
      takeReads: () => untold.drain(),
      recordReads: (reads) => {
        for (const read of reads) wanted.add(read, read.statements);
      },
    },
    messages: {
      send(news) {
        told.push(news);
        for (const other of nodes) if (other.asked !== asked) other.asked.onMessage(news);
      },
    },
  });
  nodes.push({ asked, told });
  return { asked, told, wanted, ask: (key: string) => untold.add({ owner: 'event', key }) };
}

it('adds up at the owner what other nodes have read', () => {
  const [keeper, one, two] = [aNode(true), aNode(false), aNode(false)];
  for (let n = 0; n < PROMOTE_AFTER_READS - 1; n++) one.ask('plan');
  two.ask('rare');
  one.asked.report();
  two.asked.report();
  expect(keeper.wanted.mostRead()).toEqual([]);
  two.ask('plan');
  two.asked.report();
  expect(keeper.wanted.mostRead()).toEqual([{ owner: 'event', key: 'plan', statements: PROMOTE_AFTER_READS }]);
  // Nobody else makes columns, and nothing is told twice.
  expect(one.wanted.drain()).toEqual([]);
  one.asked.report();
  expect(one.told).toHaveLength(1);
});

it('does not report what the owner has counted itself', () => {
  const [keeper, one] = [aNode(true), aNode(false)];
  keeper.ask('plan');
  keeper.asked.report();
  expect([keeper.told, one.wanted.drain()]).toEqual([[], []]);
});

it('splits many and long names into messages that fit', () => {
  const [keeper, one] = [aNode(true), aNode(false)];
  const keys = Array.from({ length: 23 }, (_, n) => '\u0001'.repeat(198) + String(n).padStart(2, '0'));
  for (const key of keys) one.ask(key);
  one.asked.report();
  expect(keeper.wanted.drain().map(({ key }) => key)).toEqual(keys);
  for (const news of one.told) expect(Buffer.byteLength(JSON.stringify(news))).toBeLessThan(MOST_BYTES_OF_NEWS);
});
