import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/stores/metadata/audit.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const ALL = { limit: 100, offset: 0 };

const anEntry = (rest: Partial<AuditEntry> = {}): Omit<AuditEntry, 'number' | 'hash'> => ({
  organizationId: 'a',
  projectId: null,
  userId: 1,
  activity: 'created',
  scope: 'PersonalAPIKey',
  itemId: 'key',
  detail: { name: 'CI', changes: null, origin: { via: 'session', address: '192.0.2.x', session: 's' } },
  createdAt: NOW,
  ...rest,
});

/** What every audit log does. */
export function describeAudit(engine: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`the audit log on ${engine}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      store = (await open()).metadata;
    });
    afterEach(() => store.close());
    const append = (rest: Partial<AuditEntry> = {}) => store.transaction((tx) => tx.audit.append(anEntry(rest)));
    const numbers = async (query: object = {}) =>
      (await store.audit.list({ organizationId: 'a', ...query }, ALL)).items.map(({ number }) => number);

    it('numbers the entries of each organization, and lists the newest first', async () => {
      await append();
      await append({ organizationId: 'b' });
      await append({ itemId: 'other' });
      expect(await numbers()).toEqual([2, 1]);
      const { count, items } = await store.audit.list({ organizationId: 'a' }, { limit: 1, offset: 1 });
      expect(count).toBe(2);
      expect(items).toEqual([{ ...anEntry(), number: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    });

    it('is filtered', async () => {
      await append({ createdAt: NOW - 10, userId: 2 });
      await append({ scope: 'Role', activity: 'deleted' });
      await append({ userId: null, createdAt: NOW + 10 });
      expect(await numbers({ after: NOW })).toEqual([3, 2]);
      expect(await numbers({ before: NOW })).toEqual([1]);
      expect(await numbers({ scope: 'Role' })).toEqual([2]);
      expect(await numbers({ activity: 'created' })).toEqual([3, 1]);
      expect(await numbers({ userId: 2 })).toEqual([1]);
      expect(await numbers({ belowNumber: 3 })).toEqual([2, 1]);
    });

    it('is read on from a number, oldest first', async () => {
      for (const n of [1, 2, 3]) await append({ createdAt: NOW - n });
      await append({ organizationId: 'b' });
      const numbersAfter = async (number: number, limit = 9) =>
        (await store.audit.listAfter('a', number, limit)).map((entry) => entry.number);
      expect([await numbersAfter(0), await numbersAfter(1), await numbersAfter(0, 2), await numbersAfter(3)]).toEqual([
        [1, 2, 3],
        [2, 3],
        [1, 2],
        [],
      ]);
    });

    it('keeps where each organization wants it to be sent', async () => {
      const webhook = {
        organizationId: 'a',
        url: 'https://siem.example.org/',
        secret: 'whsec_b25l',
        previousSecret: null,
        rolledAt: null,
        lastNumber: 4,
        createdBy: 7,
        createdAt: NOW,
        updatedAt: NOW,
      };
      await store.auditWebhooks.set(webhook);
      const other = { ...webhook, organizationId: 'b', createdBy: null };
      await store.auditWebhooks.set(other);
      const changed = { ...webhook, previousSecret: 'whsec_b25l', secret: 'whsec_dHdv', rolledAt: NOW + 1 };
      await store.auditWebhooks.set(changed);
      await store.auditWebhooks.setLastNumber('a', 5);
      expect(await store.auditWebhooks.list()).toEqual([{ ...changed, lastNumber: 5 }, other]);
      await store.auditWebhooks.delete('a');
      expect([await store.auditWebhooks.get('a'), await store.auditWebhooks.get('b')]).toEqual([null, other]);
    });

    it('continues after the oldest entries were removed, also after all of them', async () => {
      for (const n of [1, 2, 3]) await append({ createdAt: NOW + n });
      await append({ organizationId: 'b', createdAt: NOW + 9 });
      expect(await store.audit.removeBefore(NOW + 3)).toBe(2);
      expect(await numbers()).toEqual([3]);
      expect(await store.audit.findBroken()).toEqual([]);
      expect(await store.audit.removeBefore(NOW + 4)).toBe(1);
      await append({ createdAt: NOW + 5 });
      expect(await numbers()).toEqual([4]);
      expect(await store.audit.findBroken()).toEqual([]);
      expect(await store.audit.removeBefore(NOW)).toBe(0);
    });

    it('leaves no gap where the clock was set back', async () => {
      await append({ createdAt: NOW });
      await append({ createdAt: NOW + 100 });
      await append({ createdAt: NOW });
      expect(await store.audit.removeBefore(NOW + 50)).toBe(1);
      expect(await numbers()).toEqual([3, 2]);
      expect(await store.audit.findBroken()).toEqual([]);
    });

    it('writes nothing of a transaction that fails', async () => {
      const failing = store.transaction(async (tx) => {
        await tx.audit.append(anEntry());
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await append();
      expect(await numbers()).toEqual([1]);
      expect(await store.audit.findBroken()).toEqual([]);
    });
  });
}
