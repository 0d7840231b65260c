import { afterAll } from 'vitest';
import { describeAnnotations } from '../../../test/contract/annotations.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { annotationsFeature } from '../../features/annotations/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeAnnotations('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([annotationsFeature])),
);
