import { sql } from 'kysely';
import { describePersonIndex, type PersonIndexSetup } from '../../../test/contract/person-index.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { sqlPersonIndex } from '../sql/person-index.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';

describeWithPostgres(() => {
  async function open(): Promise<PersonIndexSetup> {
    const setup = await openPostgresSetup();
    return {
      ...setup,
      writer: (sizes) => sqlPersonIndex(setup.db, postgresDialect, sizes),
      texts: async () => {
        const { rows } = await sql<{ text: string }>`
        select distinct_values as text from person_columns union all select uuids from person_blocks`.execute(setup.db);
        return rows.map(({ text }) => text);
      },
    };
  }

  // Every look is a journey here: fewer stories do.
  describePersonIndex('PostgreSQL', open, 12);
});
