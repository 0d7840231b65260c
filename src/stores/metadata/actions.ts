/** Actions: events grouped under one name. Times are ms UTC. */
import type { Json } from '../../core/json/json.ts';

export interface Action {
  id: number;
  projectId: number;
  name: string;
  description: string;
  tags: string[];
  /** As sent; `core/actions` interprets them. */
  steps: Json[];
  deleted: boolean;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

export interface ActionStore {
  create(action: Omit<Action, 'id'>): Promise<Action>;
  /** Includes deleted actions. */
  get(projectId: number, id: number): Promise<Action | null>;
  /** Only actions that are not deleted. */
  getByName(projectId: number, name: string): Promise<Action | null>;
  /** Without deleted actions, newest first. */
  listByProject(projectId: number): Promise<Action[]>;
  update(action: Action): Promise<void>;
}
