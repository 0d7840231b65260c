import { afterAll } from 'vitest';
import { describeApprovals } from '../../../test/contract/approvals.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { approvalsFeature } from '../../features/approvals/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeApprovals('SQLite', () => openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([approvalsFeature])));
