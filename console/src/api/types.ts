/** The shapes on the wire, taken from the very schemas that the server checks and documents. Types only. */
import type { Static } from '@sinclair/typebox';
import type {
  DashboardChangeSchema,
  DashboardCreateSchema,
  DashboardSchema,
  ListedDashboardSchema,
} from '../../../src/http/schemas/dashboard.ts';
import type { EventDefinitionSchema, PropertyDefinitionSchema } from '../../../src/http/schemas/definition.ts';
import type { DemoDataSchema } from '../../../src/http/schemas/demo-data.ts';
import type { EventListSchema, EventSchema } from '../../../src/http/schemas/event.ts';
import type {
  DeadLetterSchema,
  DroppedEventSchema,
  EventFateSchema,
  IngestionWarningSchema,
} from '../../../src/http/schemas/event-fate.ts';
import type { FeatureFlagSchema } from '../../../src/http/schemas/feature-flag.ts';
import type { BlastRadiusSchema, EvaluationReasonsSchema } from '../../../src/http/schemas/flag-evaluation.ts';
import type { FlagRoleAccessSchema } from '../../../src/http/schemas/flag-role-access.ts';
import type { FlagVersionSchema } from '../../../src/http/schemas/flag-version.ts';
import type { RetentionAnswerSchema, TrendAnswerSchema } from '../../../src/http/schemas/insight.ts';
import type { ProjectBasicSchema, ProjectSchema, ProjectWriteSchema } from '../../../src/http/schemas/project.ts';
import type { SavedInsightSchema, SavedInsightWriteSchema } from '../../../src/http/schemas/saved-insight.ts';
import type { SetUpSchema, SignedInSchema, SignInSchema } from '../../../src/http/schemas/session.ts';
import type { StatusSchema } from '../../../src/http/schemas/status.ts';
import type { UserSchema } from '../../../src/http/schemas/user.ts';

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
