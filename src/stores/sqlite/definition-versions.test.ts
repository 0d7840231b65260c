import { afterAll } from 'vitest';
import { describeDefinitionVersions } from '../../../test/contract/definition-versions.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { flagsFeature } from '../../features/flags/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeDefinitionVersions('SQLite', () =>
  openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([flagsFeature])),
);
