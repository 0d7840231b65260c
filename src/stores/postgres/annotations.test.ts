import { describeAnnotations } from '../../../test/contract/annotations.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { annotationsFeature } from '../../features/annotations/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeAnnotations('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([annotationsFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
