import { createAnnotation } from '../features/annotations/annotations.ts';
import { chosenProject, ownerOf } from './lookups.ts';
import type { Operation } from './operation.ts';

interface NewAnnotation {
  project: number | null;
  content: string;
  /** Null: now. */
  at: number | null;
}

/** Notes a deployment on the charts of a project, as its owner. */
export const annotateProject: Operation<NewAnnotation, { id: number; project: number; at: string }> = async (
  deps,
  given,
) => {
  const project = await chosenProject(deps.metadata, given.project);
  const { id, dateMarker } = await createAnnotation(
    deps,
    await ownerOf(deps.metadata, project.organizationId),
    project,
    {
      content: given.content,
      creationType: 'GIT',
      ...(given.at === null ? {} : { dateMarker: given.at }),
    },
  );
  return { id, project: project.id, at: new Date(dateMarker).toISOString() };
};
