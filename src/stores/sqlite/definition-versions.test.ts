import { afterAll } from 'vitest';
import { describeDefinitionVersions } from '../../../test/contract/definition-versions.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { flagsFeature } from '../../features/flags/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeDefinitionVersions('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([flagsFeature])),
);
