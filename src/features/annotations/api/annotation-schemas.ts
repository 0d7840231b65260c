import { Type } from '@sinclair/typebox';
import {
  DateTime,
  iso,
  nullable,
  pageSchema,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import { ANNOTATION_SCOPES, type Annotation, CREATION_TYPES } from '../store/annotation-store.ts';

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );

const Scope = oneOf(
  ANNOTATION_SCOPES,
  'Where it is shown: on one insight (`dashboard_item`), on a dashboard, in the project, or in every project of the organization.',
);
const Text = nullable(Type.String());

export const AnnotationSchema = Type.Object({
  id: Type.Integer(),
  content: Type.String(),
  date_marker: DateTime,
  creation_type: oneOf(CREATION_TYPES, '`USR`: by a user; `GIT`: by a pipeline.'),
  dashboard_item: nullable(Type.Integer({ description: 'The id of the insight.' })),
  insight_short_id: Text,
  insight_name: Text,
  insight_derived_name: Text,
  dashboard_id: nullable(Type.Integer()),
  dashboard_name: Text,
  scope: Scope,
  tagged_users: Type.Array(Type.String()),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
  updated_at: DateTime,
  deleted: Type.Boolean(),
});

/** A change that Cairn itself marks on charts. */
const MarkedChangeSchema = Type.Object({
  content: Type.String(),
  date_marker: DateTime,
  scope: Type.String({ description: '`FeatureFlag`, `Experiment` or `Alert`.' }),
  item_id: Type.String(),
  dashboard_item: nullable(Type.Integer({ description: 'The insight that an alert watches.' })),
});

export const AnnotationPageSchema = Type.Composite([
  pageSchema(AnnotationSchema),
  Type.Object({ changes: Type.Optional(Type.Array(MarkedChangeSchema)) }),
]);

const writable = {
  content: Type.String({ minLength: 1, maxLength: 8192, examples: ['v1.2.0'] }),
  date_marker: nullable(DateTime),
  scope: Scope,
  dashboard_item: nullable(Type.Integer()),
  dashboard_id: nullable(Type.Integer()),
  creation_type: oneOf(CREATION_TYPES, '`GIT` for a pipeline.'),
  deleted: Type.Boolean(),
};
const { content, ...optional } = writable;
export const AnnotationCreateSchema = Type.Composite([Type.Object({ content }), Type.Partial(Type.Object(optional))]);
export const AnnotationChangeSchema = Type.Partial(Type.Object(writable));

/** What annotations refer to. */
interface AnnotationSubjects {
  users: ReadonlyMap<number, User>;
  insights: ReadonlyMap<number, { shortId: string; name: string | null; derivedName: string | null }>;
  dashboards: ReadonlyMap<number, { name: string }>;
}

export function presentAnnotation(annotation: Annotation, { users, insights, dashboards }: AnnotationSubjects) {
  const insight = annotation.insightId === null ? undefined : insights.get(annotation.insightId);
  const dashboard = annotation.dashboardId === null ? undefined : dashboards.get(annotation.dashboardId);
  return {
    id: annotation.id,
    content: annotation.content,
    date_marker: iso(annotation.dateMarker),
    creation_type: annotation.creationType,
    dashboard_item: annotation.insightId,
    insight_short_id: insight?.shortId ?? null,
    insight_name: insight?.name ?? null,
    insight_derived_name: insight?.derivedName ?? null,
    dashboard_id: annotation.dashboardId,
    dashboard_name: dashboard?.name ?? null,
    scope: annotation.scope,
    tagged_users: taggedUsers(annotation.content),
    created_by: presentUserOrNull(users, annotation.createdBy),
    created_at: iso(annotation.createdAt),
    updated_at: iso(annotation.updatedAt),
    deleted: annotation.deleted,
  };
}

/** Addresses after an at sign: `@ann@example.org, please look`. */
const taggedUsers = (content: string): string[] =>
  [...content.matchAll(/(?<![^\s(])@([^\s@,;()]{1,100}@[^\s@,;()]{1,100})/g)].map(([, email = '']) => email);
