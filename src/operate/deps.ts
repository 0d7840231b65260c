import type { UnknownOrganization } from '../features/accounts/oidc/sso-domains.ts';
import type { Places } from '../features/capture/visitor-facts.ts';
import type { DemoData } from '../features/demo/demo-data.ts';
import type { DecideDeps } from '../features/flags/decide/decide.ts';
import type { FlagLastUses } from '../features/flags/usage/last-uses.ts';
import type { SqlQueries } from '../features/sql/sql-queries.ts';
import type { EventIntake } from '../ingest/accept/event-intake.ts';
import type { IngestCounts } from '../ingest/track/ingest-counts.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { QueryDeps } from '../query/query-deps.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { FolderSnapshots, StoreCheck } from '../stores/folder-snapshots.ts';
import type { IngestStore } from '../stores/ingest/ingest-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';

export interface OperateDeps {
  metadata: MetadataStore;
  ingest: IngestStore;
  clock: Clock;
  ids: Ids;
  config: { publicUrl: string | null };
  ingestion: Pick<EventIntake, 'accept'>;
  /** Resolves when everything accepted so far is visible to queries. */
  whenProcessed(): Promise<void>;
  counts(): Promise<IngestCounts>;
  events: Pick<EventStore, 'query' | 'progress'>;
  /** What queries of events need. */
  eventQueries: QueryDeps;
  sql: Pick<SqlQueries, 'run'>;
  decide: DecideDeps;
  flagSnapshots: { invalidate(projectId: number): void };
  flagLastUses: Pick<FlagLastUses, 'find'>;
  /** Of cohorts. */
  calculations: { wake(): void };
  demo: DemoData;
  geoip: Places;
  directory: { invalidate(): void };
  removeEvents(projectId: number): Promise<void>;
  addPlaces: EventStore['addPlaces'];
  /** Persons of the project were changed past the API. */
  invalidateResults(projectId: number): void;
  /** Null if the data is not in a folder. */
  snapshots: FolderSnapshots | null;
  checkStores(): Promise<StoreCheck[]>;
  /** Settings of single sign-on that name an organization which does not exist. */
  unknownOrganizations(): Promise<UnknownOrganization[]>;
  /** Where links begin. */
  publicAddress: string;
}
