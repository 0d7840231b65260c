import { describeExperiments } from '../../../test/contract/experiments.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { approvalsFeature } from '../../features/approvals/index.ts';
import { experimentsFeature } from '../../features/experiments/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeExperiments('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([experimentsFeature, approvalsFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
