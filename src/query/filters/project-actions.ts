import { readSteps } from '../../core/actions/action-steps.ts';
import type { ActionDefinition, ActionStep } from '../../core/actions/entity.ts';
import { Failure } from '../../core/errors.ts';
import type { Action } from '../../stores/metadata/actions.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** The project's actions by id. */
export async function loadActions(
  { actions }: Pick<MetadataStore, 'actions'>,
  projectId: number,
): Promise<(id: number) => ActionDefinition | undefined> {
  const known = new Map((await actions.listByProject(projectId)).map((action) => [action.id, action]));
  return (id) => {
    const action = known.get(id);
    return action && { id, name: action.name, steps: stepsOf(action) };
  };
}

/** The steps of an action; none where there is no such action. */
export async function loadActionSteps(
  { actions }: Pick<MetadataStore, 'actions'>,
  projectId: number,
  id: number,
): Promise<ActionStep[]> {
  const action = await actions.get(projectId, id);
  return action === null || action.deleted ? [] : stepsOf(action);
}

/** Steps are validated when they are saved; damaged ones match nothing. */
function stepsOf({ steps }: Action): ActionStep[] {
  try {
    return readSteps(steps);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
