/** Questions that people keep, on the relational shelf. Times are ms UTC. */
import type { JsonObject } from '../../core/json/json.ts';

export interface SavedInsight {
  id: number;
  projectId: number;
  /** Eight letters and digits, unlike those of any other in the project: for links. */
  shortId: string;
  name: string | null;
  /** What the question would be called by what it asks; the client makes it up. */
  derivedName: string | null;
  description: string;
  /** The question in the words of the wire, as it was sent. */
  filters: JsonObject;
  /** A place among others, where somebody has given it one. */
  order: number | null;
  /** False: a draft, kept because somebody looked at it. */
  saved: boolean;
  favorited: boolean;
  deleted: boolean;
  tags: string[];
  createdAt: number;
  createdBy: number | null;
  /** Any change. */
  updatedAt: number;
  /** The last change of what it asks or what it is called. */
  lastModifiedAt: number;
  lastModifiedBy: number | null;
}

/** When a user last looked at an insight. */
interface InsightView {
  insightId: number;
  viewedAt: number;
}

export interface InsightStore {
  create(insight: Omit<SavedInsight, 'id'>): Promise<SavedInsight>;
  /** A deleted one too. */
  get(projectId: number, id: number): Promise<SavedInsight | null>;
  /** Those of these ids that the project has, deleted ones too. */
  listByIds(projectId: number, ids: readonly number[]): Promise<SavedInsight[]>;
  getByShortId(projectId: number, shortId: string): Promise<SavedInsight | null>;
  /** All that are not deleted; the last modified first. */
  listByProject(projectId: number): Promise<SavedInsight[]>;
  update(insight: SavedInsight): Promise<void>;
  /** Of each user and insight the last view is kept. */
  recordView(projectId: number, insightId: number, userId: number, viewedAt: number): Promise<void>;
  /** The latest first. */
  listViewsByUser(projectId: number, userId: number): Promise<InsightView[]>;
}
