import { Type } from '@sinclair/typebox';
import type { JsonObject } from '../../../core/json/json.ts';
import { DateTime, iso, nullable, originOnly, Uuid } from '../../../http/schemas/common.ts';
import { ADMIN, type MembershipLevel, type Project } from '../../../stores/metadata/accounts.ts';
import { CookielessModeSchema, WebSettingsSchema, WebSettingsWriteSchema } from './web-settings-schemas.ts';

const Free = Type.Unknown();
const FreeList = Type.Array(Free);

export const ProjectBasicSchema = Type.Object({
  id: Type.Integer(),
  uuid: Uuid,
  organization: Uuid,
  api_token: Type.String(),
  name: Type.String(),
  completed_snippet_onboarding: Type.Boolean(),
  ingested_event: Type.Boolean(),
  is_demo: Type.Boolean(),
  timezone: Type.String(),
  access_control: Type.Boolean(),
});

/** Settings that only clients use. */
const PREFERENCES = {
  app_urls: FreeList,
  completed_snippet_onboarding: Type.Boolean(),
  test_account_filters_default_checked: Type.Boolean(),
  data_attributes: FreeList,
  person_display_name_properties: nullable(FreeList),
  correlation_config: nullable(Type.Record(Type.String(), Free)),
  session_recording_opt_in: Type.Boolean(),
  capture_console_log_opt_in: nullable(Type.Boolean()),
  capture_performance_opt_in: nullable(Type.Boolean()),
  primary_dashboard: nullable(Type.Integer()),
  live_events_columns: nullable(FreeList),
  recording_domains: nullable(FreeList),
} as const;

const PREFERENCE_DEFAULTS: JsonObject = {
  app_urls: [],
  completed_snippet_onboarding: false,
  test_account_filters_default_checked: false,
  data_attributes: ['data-attr'],
  person_display_name_properties: null,
  correlation_config: null,
  session_recording_opt_in: false,
  capture_console_log_opt_in: null,
  capture_performance_opt_in: null,
  primary_dashboard: null,
  live_events_columns: null,
  recording_domains: null,
};

export const PREFERENCE_NAMES = Object.keys(PREFERENCES) as (keyof typeof PREFERENCES)[];

export const ProjectSchema = Type.Object({
  ...ProjectBasicSchema.properties,
  ...PREFERENCES,
  anonymize_ips: Type.Boolean(),
  events_retention_days: nullable(Type.Integer()),
  test_account_filters: FreeList,
  path_cleaning_filters: FreeList,
  slack_incoming_webhook: nullable(Type.String()),
  web_analytics: WebSettingsSchema,
  cookieless_server_hash_mode: CookielessModeSchema,
  has_secret_api_token: Type.Boolean(),
  effective_membership_level: Type.Integer(),
  has_group_types: Type.Boolean(),
  person_on_events_querying_enabled: Type.Boolean(),
  groups_on_events_querying_enabled: Type.Boolean(),
  inject_web_apps: Type.Boolean(),
  created_at: DateTime,
  updated_at: DateTime,
});

/** The only response with the secret key. */
export const ProjectWithSecretSchema = Type.Object({
  ...ProjectSchema.properties,
  secret_api_token: Type.String(),
});

const WRITABLE = {
  ...PREFERENCES,
  name: Type.String({ minLength: 1, maxLength: 200 }),
  timezone: Type.String({ minLength: 1, maxLength: 100 }),
  anonymize_ips: Type.Boolean(),
  events_retention_days: nullable(Type.Integer({ minimum: 1, maximum: 36_500 })),
  test_account_filters: FreeList,
  path_cleaning_filters: FreeList,
  slack_incoming_webhook: nullable(Type.String({ format: 'uri', maxLength: 500 })),
  web_analytics: WebSettingsWriteSchema,
  cookieless_server_hash_mode: CookielessModeSchema,
};

export const ProjectWriteSchema = Type.Partial(Type.Object(WRITABLE));

export const presentProjectBasic = (project: Project) => ({
  id: project.id,
  uuid: project.uuid,
  organization: project.organizationId,
  api_token: project.apiToken,
  name: project.name,
  completed_snippet_onboarding: project.preferences['completed_snippet_onboarding'] === true,
  ingested_event: project.ingestedEvent,
  is_demo: false,
  timezone: project.timezone,
  access_control: false,
});

export const presentProject = (project: Project, level: MembershipLevel | null, hasGroupTypes: boolean) => ({
  ...presentProjectBasic(project),
  ...PREFERENCE_DEFAULTS,
  ...project.preferences,
  anonymize_ips: project.anonymizeIps,
  events_retention_days: project.eventsRetentionDays,
  test_account_filters: project.testAccountFilters,
  path_cleaning_filters: project.pathCleaningFilters,
  // The full address lets anyone post to the channel, so only admins, who can change it, see it.
  slack_incoming_webhook:
    (level ?? 0) >= ADMIN ? project.slackIncomingWebhook : originOnly(project.slackIncomingWebhook),
  web_analytics: project.webAnalytics,
  cookieless_server_hash_mode: project.cookielessServerHashMode,
  has_secret_api_token: project.secretHash !== null,
  effective_membership_level: level ?? 0,
  has_group_types: hasGroupTypes,
  person_on_events_querying_enabled: true,
  groups_on_events_querying_enabled: true,
  inject_web_apps: false,
  created_at: iso(project.createdAt),
  updated_at: iso(project.updatedAt),
});
