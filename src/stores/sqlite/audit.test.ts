import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { describeAudit } from '../../../test/contract/audit.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { auditFeature } from '../../features/audit/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeAudit('SQLite', () => openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([auditFeature])));

it.each<[string, string, number]>([
  ['an entry that was changed', `update audit set detail = replace(detail, 'x', 'y') where number = 2`, 2],
  ['an entry that was removed', 'delete from audit where number = 2', 2],
  ['the oldest that were removed', 'delete from audit where number < 3', 1],
])('finds %s', async (_name, tamper, number) => {
  const path = folder.path(`${++files}.sqlite`);
  const { metadata } = await openMigratedStore(path, 0);
  const detail = { name: 'x', changes: null, origin: null };
  const rest = { projectId: null, userId: 1, activity: 'created', scope: 'Role', itemId: 'r', detail, createdAt: 5 };
  for (let i = 0; i < 4; i++) {
    await metadata.transaction((store) => store.audit.append({ organizationId: 'a', ...rest }));
  }
  const database = new Database(path);
  database.exec(tamper);
  database.close();
  expect(await metadata.audit.findBroken()).toEqual([{ organizationId: 'a', number }]);
  await metadata.close();
});
