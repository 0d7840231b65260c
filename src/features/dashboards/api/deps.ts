import type { Ids } from '../../../lib/ids.ts';
import type { InsightApiDeps } from '../../insights/api/deps.ts';
import type { SavedStatements } from '../../sql/saved-statements.ts';

export interface DashboardApiDeps extends InsightApiDeps {
  ids: Ids;
  /** Of insights whose question is SQL. */
  statements: SavedStatements;
}
