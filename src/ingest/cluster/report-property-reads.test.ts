import { afterEach, expect, it } from 'vitest';
import type { NodeMessage } from '../../stores/cluster/node-messages.ts';
import { PROMOTE_AFTER_READS, PropertyUsage } from '../../stores/events/property-usage.ts';
import { PropertyReadReporter } from './report-property-reads.ts';

const MAX_MESSAGE_BYTES = 8000;

const nodes: { reporter: PropertyReadReporter; sent: NodeMessage[] }[] = [];
afterEach(() => {
  for (const { reporter } of nodes.splice(0)) reporter.stop();
});

/** A node whose store counts as the real one does. The other nodes get what it sends. */
function aNode(isOwner: boolean) {
  const [unreported, reads] = [new PropertyUsage(), new PropertyUsage()];
  const sent: NodeMessage[] = [];
  const reporter = new PropertyReadReporter({
    owner: { isOwner },
    events: {
      takeReads: () => unreported.drain(),
      recordReads: (counts) => {
        for (const read of counts) reads.add(read, read.statements);
      },
    },
    messages: {
      send(message) {
        sent.push(message);
        for (const other of nodes) if (other.reporter !== reporter) other.reporter.onMessage(message);
      },
    },
  });
  nodes.push({ reporter, sent });
  return { reporter, sent, reads, read: (key: string) => unreported.add({ owner: 'event', key }) };
}

it('adds up at the owner what other nodes have read', () => {
  const [owner, one, two] = [aNode(true), aNode(false), aNode(false)];
  for (let n = 0; n < PROMOTE_AFTER_READS - 1; n++) one.read('plan');
  two.read('rare');
  one.reporter.report();
  two.reporter.report();
  expect(owner.reads.mostRead()).toEqual([]);
  two.read('plan');
  two.reporter.report();
  expect(owner.reads.mostRead()).toEqual([{ owner: 'event', key: 'plan', statements: PROMOTE_AFTER_READS }]);
  // No other node adds columns, and nothing is sent twice.
  expect(one.reads.drain()).toEqual([]);
  one.reporter.report();
  expect(one.sent).toHaveLength(1);
});

it('does not report what the owner has counted itself', () => {
  const [owner, one] = [aNode(true), aNode(false)];
  owner.read('plan');
  owner.reporter.report();
  expect([owner.sent, one.reads.drain()]).toEqual([[], []]);
});

it('splits many and long names into messages that fit', () => {
  const [owner, one] = [aNode(true), aNode(false)];
  const keys = Array.from({ length: 23 }, (_, n) => '\u0001'.repeat(198) + String(n).padStart(2, '0'));
  for (const key of keys) one.read(key);
  one.reporter.report();
  expect(owner.reads.drain().map(({ key }) => key)).toEqual(keys);
  for (const message of one.sent) expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(MAX_MESSAGE_BYTES);
});
