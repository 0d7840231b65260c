import { describeAudit } from '../../../test/contract/audit.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';

describeWithPostgres(() => {
  describeAudit('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup();
    return { metadata: { ...metadata, close: remove } };
  });
});
