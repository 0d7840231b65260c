/** The shapes on the wire, taken from the very schemas that the server checks and documents. Types only. */
import type { Static } from '@sinclair/typebox';
import type {
  ProjectBasicSchema,
  ProjectSchema,
  ProjectWriteSchema,
} from '../../../src/features/accounts/api/project-schemas.ts';
import type { SetUpSchema, SignedInSchema, SignInSchema } from '../../../src/features/accounts/api/session-schemas.ts';
import type { UserSchema } from '../../../src/features/accounts/api/user-schemas.ts';
import type {
  DashboardChangeSchema,
  DashboardCreateSchema,
  DashboardSchema,
  ListedDashboardSchema,
} from '../../../src/features/dashboards/api/dashboard-schemas.ts';
import type {
  SavedInsightSchema,
  SavedInsightWriteSchema,
} from '../../../src/features/dashboards/api/saved-insight-schemas.ts';
import type {
  EventDefinitionSchema,
  PropertyDefinitionSchema,
} from '../../../src/features/definitions/api/definition-schemas.ts';
import type { DemoDataSchema } from '../../../src/features/demo/api/demo-data-schemas.ts';
import type {
  DeadLetterSchema,
  DroppedEventSchema,
  EventFateSchema,
  IngestionWarningSchema,
} from '../../../src/features/events/api/event-fate-schemas.ts';
import type { EventListSchema, EventSchema } from '../../../src/features/events/api/event-schemas.ts';
import type {
  BlastRadiusSchema,
  EvaluationReasonsSchema,
} from '../../../src/features/flags/api/flag-evaluation-schemas.ts';
import type { FlagRoleAccessSchema } from '../../../src/features/flags/api/flag-role-access-schemas.ts';
import type { FeatureFlagSchema } from '../../../src/features/flags/api/flag-schemas.ts';
import type { FlagVersionSchema } from '../../../src/features/flags/api/flag-version-schemas.ts';
import type { RetentionAnswerSchema, TrendAnswerSchema } from '../../../src/features/insights/api/insight-schemas.ts';
import type { StatusSchema } from '../../../src/operate/status/status-schemas.ts';

export interface Page<T> {
  count: number;
  next: string | null;
  previous: string | null;
  results: T[];
}

export type User = Static<typeof UserSchema>;
export type ProjectBasic = Static<typeof ProjectBasicSchema>;
export type Project = Static<typeof ProjectSchema>;
export type ProjectWrite = Static<typeof ProjectWriteSchema>;
export type SignIn = Static<typeof SignInSchema>;
export type SetUp = Static<typeof SetUpSchema>;
export type SignedIn = Static<typeof SignedInSchema>;
export type Event = Static<typeof EventSchema>;
export type EventList = Static<typeof EventListSchema>;
export type EventFate = Static<typeof EventFateSchema>;
export type DroppedEvent = Static<typeof DroppedEventSchema>;
export type DeadLetter = Static<typeof DeadLetterSchema>;
export type IngestionWarning = Static<typeof IngestionWarningSchema>;
export type EventDefinition = Static<typeof EventDefinitionSchema>;
export type PropertyDefinition = Static<typeof PropertyDefinitionSchema>;
export type FeatureFlag = Static<typeof FeatureFlagSchema>;
export type FlagVersion = Static<typeof FlagVersionSchema>;
export type FlagRoleAccess = Static<typeof FlagRoleAccessSchema>;
export type BlastRadius = Static<typeof BlastRadiusSchema>;
export type EvaluationReasons = Static<typeof EvaluationReasonsSchema>;
export type DemoData = Static<typeof DemoDataSchema>;
export type Status = Static<typeof StatusSchema>;
export type TrendItem = Static<typeof TrendAnswerSchema>['result'][number];
export type RetentionRow = Static<typeof RetentionAnswerSchema>['result'][number];
export type SavedInsight = Static<typeof SavedInsightSchema>;
export type SavedInsightWrite = Static<typeof SavedInsightWriteSchema>;
export type ListedDashboard = Static<typeof ListedDashboardSchema>;
export type Dashboard = Static<typeof DashboardSchema>;
export type DashboardTile = Dashboard['tiles'][number];
export type DashboardCreate = Static<typeof DashboardCreateSchema>;
export type DashboardChange = Static<typeof DashboardChangeSchema>;
