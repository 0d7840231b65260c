import { Type } from '@sinclair/typebox';
import { effectiveFilters } from '../../../core/cohorts/legacy-groups.ts';
import { RAW_CSV_QUERY } from '../../../http/format.ts';
import {
  DateTime,
  iso,
  isoOrNull,
  nullable,
  PAGE_QUERY,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';

const FreeMap = Type.Record(Type.String(), Type.Unknown());

export const CohortSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  groups: Type.Array(Type.Unknown(), { description: 'The old form of criteria, as it was sent.' }),
  deleted: Type.Boolean(),
  filters: FreeMap,
  is_calculating: Type.Boolean(),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
  last_calculation: nullable(DateTime),
  errors_calculating: Type.Integer(),
  count: nullable(Type.Integer({ description: 'As of the last calculation; null in a static cohort.' })),
  is_static: Type.Boolean(),
});

const Text = (maxLength: number) => Type.String({ maxLength });

/** Forms hold nothing but text and files, so criteria may come as JSON text; the handler reads them. */
export const CohortWriteSchema = Type.Partial(
  Type.Object({
    name: nullable(Text(400)),
    description: nullable(Text(1000)),
    groups: Type.Unknown({ description: 'The old form of criteria: a list of groups.' }),
    filters: Type.Unknown({ description: '`{"properties": {"type": "AND" | "OR", "values": […]}}`' }),
    is_static: Type.Boolean(),
    deleted: Type.Boolean(),
    csv: Type.Unknown({ description: 'A file (multipart): distinct ids in its first column, for a static cohort.' }),
    _create_static_person_ids: Type.Unknown({
      description: 'UUIDs or distinct ids of persons, for a static cohort.',
    }),
  }),
);

const Persons = Type.Array(Type.String({ maxLength: 400 }));

export const AddPersonsSchema = Type.Object({ person_ids: Persons });
export const RemovePersonSchema = Type.Partial(
  Type.Object({ person_id: Type.String({ maxLength: 400 }), person_ids: Persons }),
);

export const SuccessSchema = Type.Object({ success: Type.Boolean() });

export const CohortsOfPersonSchema = Type.Object({ results: Type.Array(CohortSchema) });

export const COHORT_PERSONS_QUERY = {
  search: 'Part of the e-mail, or a whole distinct id.',
  properties: 'Property filters as JSON: a list, a group `{type, values}`, or an object `{key__operator: value}`.',
  format: '`json` (the default) or `csv`, which shows up to 10,000.',
  ...RAW_CSV_QUERY,
  ...PAGE_QUERY,
} as const;

export const presentCohort = (cohort: Cohort, users: ReadonlyMap<number, User>) => ({
  id: cohort.id,
  name: cohort.name,
  description: cohort.description,
  groups: cohort.groups,
  deleted: cohort.deleted,
  filters: effectiveFilters(cohort),
  is_calculating: cohort.isCalculating,
  created_by: presentUserOrNull(users, cohort.createdBy),
  created_at: iso(cohort.createdAt),
  last_calculation: isoOrNull(cohort.lastCalculation),
  errors_calculating: cohort.errorsCalculating,
  count: cohort.isStatic ? null : cohort.count,
  is_static: cohort.isStatic,
});
