import { describeAudit } from '../../../test/contract/audit.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { auditFeature } from '../../features/audit/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeAudit('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([auditFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
