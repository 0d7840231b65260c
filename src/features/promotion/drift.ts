/** Flags that say something else than the flags with the same keys in another project. */
import { type Caller, hasProject } from '../../access/callers.ts';
import { invalid } from '../../core/errors.ts';
import { diffJson, type JsonDifference } from '../../core/json/json-diff.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { type ProjectContents, readProjectContents } from './project-contents.ts';
import { toPortableFlag } from './rules/portable-flag.ts';

export interface FlagDrift {
  key: string;
  status: 'differs' | 'only_here' | 'only_there';
  here: FeatureFlag | null;
  there: FeatureFlag | null;
  project: Pick<Project, 'id' | 'name'>;
  /** From what is there to what is here: what promoting the flag would do. */
  diff: JsonDifference[];
}

/** `otherId` null: each flag is compared with the one that it was promoted from. */
export async function findDrift(
  metadata: MetadataStore,
  caller: Caller,
  project: Project,
  otherId: number | null,
): Promise<FlagDrift[]> {
  const here = await readProjectContents(metadata, project.id);
  if (otherId !== null) {
    return compare(here, await readOther(metadata, caller, project, otherId), () => true);
  }
  const found: FlagDrift[] = [];
  for (const id of new Set(here.flags.flatMap(({ promotedFrom }) => promotedFrom?.project ?? []))) {
    const other = await metadata.projects.get(id);
    // It may have been deleted since, or not be the caller's to see.
    if (!other || !hasProject(caller, other)) continue;
    const there = { project: other, contents: await readProjectContents(metadata, id) };
    found.push(...compare(here, there, (flag) => flag?.promotedFrom?.project === id));
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function readOther(metadata: MetadataStore, caller: Caller, project: Project, id: number) {
  if (id === project.id) throw invalid('with', 'Choose another project to compare with.');
  const other = await metadata.projects.get(id);
  if (!other || !hasProject(caller, other)) {
    throw invalid('with', `There is no project ${id} that you can use.`, 'does_not_exist');
  }
  return { project: other, contents: await readProjectContents(metadata, id) };
}

function compare(
  here: ProjectContents,
  { project, contents: there }: { project: Project; contents: ProjectContents },
  isAsked: (here: FeatureFlag | null) => boolean,
): FlagDrift[] {
  const ours = new Map(here.flags.map((flag) => [flag.key, flag]));
  const theirs = new Map(there.flags.map((flag) => [flag.key, flag]));
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return keys.flatMap((key): FlagDrift[] => {
    const [one, other] = [ours.get(key) ?? null, theirs.get(key) ?? null];
    if (!isAsked(one)) return [];
    const found = { key, here: one, there: other, project: { id: project.id, name: project.name } };
    if (one === null || other === null) return [{ ...found, status: one ? 'only_here' : 'only_there', diff: [] }];
    const diff = diffJson(toPortableFlag(other, there.names), toPortableFlag(one, here.names));
    return diff.length === 0 ? [] : [{ ...found, status: 'differs', diff }];
  });
}
