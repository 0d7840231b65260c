/** Actions: kinds of events under one name, on the relational shelf. Times are ms UTC. */
import type { Json } from '../../core/json/json.ts';

export interface Action {
  id: number;
  projectId: number;
  name: string;
  description: string;
  tags: string[];
  /** As sent: what they mean is for `core/actions` to say. */
  steps: Json[];
  deleted: boolean;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

export interface ActionStore {
  create(action: Omit<Action, 'id'>): Promise<Action>;
  /** A deleted one too. */
  get(projectId: number, id: number): Promise<Action | null>;
  /** The living one of that name. */
  getByName(projectId: number, name: string): Promise<Action | null>;
  /** All that are not deleted; the newest first. */
  listByProject(projectId: number): Promise<Action[]>;
  update(action: Action): Promise<void>;
}
