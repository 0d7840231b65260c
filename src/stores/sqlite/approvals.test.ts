import { afterAll } from 'vitest';
import { describeApprovals } from '../../../test/contract/approvals.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { approvalsFeature } from '../../features/approvals/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeApprovals('SQLite', () => openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([approvalsFeature])));
