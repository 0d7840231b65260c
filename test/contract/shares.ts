/** What a store keeps of shared links. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Share } from '../../src/features/sharing/store/share-store.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;

const aShare = (id: string, rest: Partial<Share> = {}): Share => ({
  id,
  projectId: 1,
  kind: 'insight',
  itemId: 3,
  enabled: true,
  token: `token of ${id}`,
  previousToken: null,
  previousUntil: null,
  passwordRequired: false,
  settings: { theme: 'dark' },
  expiresAt: null,
  allowedOrigins: ['https://example.org'],
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

export function describeShares(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`shares: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());

    it('returns a share unchanged, by what is shared and by both of its tokens', async () => {
      const share = aShare('a');
      await store.shares.create(share);
      expect(await store.shares.get(1, 'insight', 3)).toEqual(share);
      const changed = { ...share, token: 'new', previousToken: share.token, previousUntil: NOW, enabled: false };
      await store.shares.update(changed);
      expect(await store.shares.getByToken('new')).toEqual(changed);
      expect(await store.shares.getByToken(share.token)).toEqual(changed);
      expect(await store.shares.getByToken('other')).toBeNull();
      expect(await store.shares.get(1, 'dashboard', 3)).toBeNull();
      expect(await store.shares.get(2, 'insight', 3)).toBeNull();
    });

    it('keeps the first of two for the same thing', async () => {
      await store.shares.create(aShare('a'));
      await store.shares.create(aShare('b'));
      expect((await store.shares.get(1, 'insight', 3))?.id).toBe('a');
    });

    it('keeps passwords of each share', async () => {
      const password = { projectId: 1, hash: 'h', note: null, createdAt: NOW, createdBy: 7 };
      const own = await store.shares.createPassword({ ...password, shareId: 'a' });
      await store.shares.createPassword({ ...password, shareId: 'b' });
      expect(await store.shares.listPasswords('a')).toEqual([own]);
      expect(await store.shares.deletePassword('b', own.id)).toBe(false);
      expect(await store.shares.deletePassword('a', own.id)).toBe(true);
      expect(await store.shares.listPasswords('a')).toEqual([]);
    });

    it('deletes a share with its passwords and views, and no other', async () => {
      const day = '2026-01-01';
      for (const [id, itemId] of [
        ['a', 3],
        ['b', 4],
      ] as const) {
        await store.shares.create(aShare(id, { itemId }));
        await store.shares.createPassword({
          ...{ projectId: 1, shareId: id, hash: 'h', note: null, createdAt: NOW },
          createdBy: 7,
        });
        await store.shares.countView({ id, projectId: 1 }, day);
      }
      await store.shares.delete('a');
      expect(await store.shares.get(1, 'insight', 3)).toBeNull();
      expect((await store.shares.get(1, 'insight', 4))?.id).toBe('b');
      const left = async (id: string) => [
        (await store.shares.listPasswords(id)).length,
        await store.shares.viewsSince(id, day),
      ];
      expect([await left('a'), await left('b')]).toEqual([
        [0, 0],
        [1, 1],
      ]);
    });

    it('keeps parts of a site with their filters, by project', async () => {
      const given = { name: 'Blog', filters: [{ key: 'path', value: ['/a', '/b'] }], createdAt: NOW, createdBy: null };
      const first = await store.webShares.create({ ...given, projectId: 1 });
      const second = await store.webShares.create({ ...given, projectId: 1, name: 'Shop', filters: [] });
      const foreign = await store.webShares.create({ ...given, projectId: 2 });
      expect(first).toEqual({ ...given, projectId: 1, id: first.id });
      expect(await store.webShares.listByProject(1)).toEqual([first, second]);
      await store.webShares.update({ ...first, name: 'Magazine', filters: [] });
      expect(await store.webShares.get(1, first.id)).toEqual({ ...first, name: 'Magazine', filters: [] });
      expect(await store.webShares.get(2, first.id)).toBeNull();
      await store.webShares.delete(2, first.id);
      await store.webShares.delete(1, second.id);
      expect((await store.webShares.listByProject(1)).map(({ id }) => id)).toEqual([first.id]);
      expect(await store.webShares.listByProject(2)).toEqual([foreign]);
    });

    it('counts views by day', async () => {
      const share = { id: 'a', projectId: 1 };
      for (const day of ['2026-01-01', '2026-01-02', '2026-01-02']) await store.shares.countView(share, day);
      expect(await store.shares.viewsSince('a', '2026-01-01')).toBe(3);
      expect(await store.shares.viewsSince('a', '2026-01-02')).toBe(2);
      expect(await store.shares.viewsSince('b', '2026-01-01')).toBe(0);
    });
  });
}
