import type { Migration } from '../migration.ts';

/**
 * Breaks earlier versions: the ids of a chunk are a block of level 0, which may overlap with others (decision 55). They
 * would look into one of them only, and store events twice. Nothing changes in the tables.
 */
export const blocksOfRecentIds: Migration = {
  number: 23,
  name: 'blocks of recent ids',
  async up() {},
};
