/** Notes on charts. Times are in ms UTC. */
import { type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { plainLower } from '../../../stores/sql/groups.ts';
import { paged } from '../../../stores/sql/paging.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly annotations: AnnotationStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    annotations: {
      id: Generated<number>;
      organizationId: string;
      projectId: number;
      scope: AnnotationScope;
      insightId: number | null;
      dashboardId: number | null;
      content: string;
      dateMarker: number;
      creationType: CreationType;
      deleted: Flag;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
  }
}

/** On which charts it is shown: of one insight, of one dashboard, of the project, or of all projects of its organization. */
export const ANNOTATION_SCOPES = ['dashboard_item', 'dashboard', 'project', 'organization'] as const;
type AnnotationScope = (typeof ANNOTATION_SCOPES)[number];

/** Written by a user, or by a pipeline that deployed something. */
export const CREATION_TYPES = ['USR', 'GIT'] as const;
type CreationType = (typeof CREATION_TYPES)[number];

export interface Annotation {
  id: number;
  organizationId: string;
  projectId: number;
  scope: AnnotationScope;
  /** The insight or dashboard it was written on; null for the wider scopes. */
  insightId: number | null;
  dashboardId: number | null;
  content: string;
  /** When it happened. */
  dateMarker: number;
  creationType: CreationType;
  deleted: boolean;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

export interface AnnotationQuery {
  scope?: AnnotationScope | undefined;
  insightId?: number | undefined;
  /** Both inclusive. */
  after?: number | undefined;
  before?: number | undefined;
  /** Part of the text, in any case. */
  search?: string | undefined;
}

interface AnnotationStore {
  create(annotation: Omit<Annotation, 'id'>): Promise<Annotation>;
  /** Also a deleted one; those of other projects only if they are for the whole organization. */
  get(project: AnnotatedProject, id: number): Promise<Annotation | null>;
  /** Without deleted ones, the latest date first. */
  list(project: AnnotatedProject, query: AnnotationQuery, page: Page): Promise<Paged<Annotation>>;
  update(annotation: Annotation): Promise<void>;
}

interface AnnotatedProject {
  id: number;
  organizationId: string;
}

const toAnnotation = (row: Selectable<Tables['annotations']>): Annotation => ({
  ...row,
  id: Number(row.id),
  insightId: row.insightId === null ? null : Number(row.insightId),
  dashboardId: row.dashboardId === null ? null : Number(row.dashboardId),
  deleted: row.deleted === 1,
});

const toColumns = (annotation: Omit<Annotation, 'id'>): Insertable<Tables['annotations']> => ({
  ...annotation,
  deleted: toBit(annotation.deleted),
});

export function annotationStore({ db, dialect }: Sql): AnnotationStore {
  const visibleIn = ({ id, organizationId }: AnnotatedProject) =>
    db
      .selectFrom('annotations')
      .selectAll()
      .where('organizationId', '=', organizationId)
      .where((eb) => eb.or([eb('projectId', '=', id), eb('scope', '=', 'organization')]));
  return {
    async create(annotation) {
      const row = await db
        .insertInto('annotations')
        .values(toColumns(annotation))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toAnnotation(row);
    },
    async get(project, id) {
      const row = await visibleIn(project).where('id', '=', id).executeTakeFirst();
      return row ? toAnnotation(row) : null;
    },
    list(project, { scope, insightId, after, before, search }, page) {
      const matching = visibleIn(project)
        .where('deleted', '=', 0)
        .$if(scope !== undefined, (q) => q.where('scope', '=', scope ?? 'project'))
        .$if(insightId !== undefined, (q) => q.where('insightId', '=', insightId ?? null))
        .$if(after !== undefined, (q) => q.where('dateMarker', '>=', after ?? 0))
        .$if(before !== undefined, (q) => q.where('dateMarker', '<=', before ?? 0))
        .$if(search !== undefined, (q) =>
          q.where(sql<boolean>`${dialect.contains(sql`lower(content)`, plainLower(search ?? ''))}`),
        );
      return paged(matching.orderBy('dateMarker', 'desc').orderBy('id', 'desc'), page, toAnnotation);
    },
    async update({ id, ...annotation }) {
      await db.updateTable('annotations').set(toColumns(annotation)).where('id', '=', id).execute();
    },
  };
}
