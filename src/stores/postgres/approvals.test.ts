import { describeApprovals } from '../../../test/contract/approvals.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { approvalsFeature } from '../../features/approvals/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeApprovals('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([approvalsFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
