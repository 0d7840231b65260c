import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CookielessVisitor } from '../../src/core/cookieless/cookieless-visitor.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataSetup } from './event-records.ts';

const aVisitor = (base: string, over: Partial<CookielessVisitor> = {}): CookielessVisitor => ({
  projectId: 1,
  base,
  expiresAt: 1000,
  signIns: 0,
  signedInAt: 0,
  sessions: [{ signIns: 0, id: 'session', lastAt: 5 }],
  ...over,
});

/** What every metadata store does with visitors without cookies. */
export function describeCookielessVisitors(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`cookieless visitors: ${name}`, () => {
    let setup: MetadataSetup;
    beforeEach(async () => {
      setup = await open();
    });
    afterEach(() => setup.remove());

    let position = 0;
    const write = (...cookielessVisitors: CookielessVisitor[]): Promise<void> =>
      setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, cookielessVisitors, position: ++position }));
    const read = (...keys: Pick<CookielessVisitor, 'projectId' | 'base'>[]) =>
      setup.ingest.transaction((store) => store.listCookielessVisitors(keys));

    it('are found by project and hash, as they were written last', async () => {
      await write(aVisitor('a'), aVisitor('b', { projectId: 2, signIns: 7 }));
      const later = aVisitor('a', { signIns: 2, signedInAt: 1_800_000_000_000, sessions: [] });
      await write(later);
      expect(await read({ projectId: 1, base: 'a' }, { projectId: 1, base: 'b' })).toEqual([later]);
      const { cookielessVisitors } = setup.metadata;
      expect(await cookielessVisitors.countSignIns(1, 'a')).toBe(2);
      expect(await cookielessVisitors.countSignIns(2, 'b')).toBe(7);
      expect(await cookielessVisitors.countSignIns(2, 'a')).toBe(0);
    });

    it('are deleted when their day is over, and with their project', async () => {
      await write(aVisitor('a'), aVisitor('b', { expiresAt: 1001 }), aVisitor('c', { projectId: 2, expiresAt: 1001 }));
      await setup.metadata.cookielessVisitors.deleteExpired(1000);
      const all = [aVisitor('a'), aVisitor('b'), aVisitor('c', { projectId: 2 })];
      expect((await read(...all)).map(({ base }) => base).sort()).toEqual(['b', 'c']);
      await setup.metadata.projects.delete(2);
      expect((await read(...all)).map(({ base }) => base)).toEqual(['b']);
    });
  });
}
