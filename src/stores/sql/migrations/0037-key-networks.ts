import type { Migration } from '../migration.ts';

/** From which networks each personal key was used, so that the first use from another one can be told. */
export const keyNetworks: Migration = {
  number: 37,
  name: 'networks of personal keys',
  async up(db, { bigIntegerType }) {
    await db.schema
      .createTable('personal_key_networks')
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('network', 'text', (c) => c.notNull())
      .addColumn('first_used_at', bigIntegerType, (c) => c.notNull())
      .addPrimaryKeyConstraint('personal_key_networks_pk', ['key_id', 'network'])
      .execute();
  },
};
