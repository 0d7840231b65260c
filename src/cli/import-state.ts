/** Progress of an import, stored next to the file. Everything before it is on disk. */
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';

export interface ImportState {
  project: number;
  /** Of the file: a different size means a different file. */
  size: number;
  /** Where the next line begins, in bytes, and its number. */
  offset: number;
  line: number;
  events: number;
  persons: number;
  bad: number;
  /** Size of the file of bad lines. */
  badBytes: number;
}

const statePath = (file: string): string => `${file}.cairn-import`;
export const badLinesPath = (file: string): string => `${file}.bad-lines`;

export const initialState = (project: number, size: number): ImportState => ({
  project,
  size,
  offset: 0,
  line: 1,
  events: 0,
  persons: 0,
  bad: 0,
  badBytes: 0,
});

/** Null if there is none, or if it is for another file or project. */
export async function loadState(file: string, project: number, size: number): Promise<ImportState | null> {
  if (!existsSync(statePath(file))) return null;
  try {
    const state = JSON.parse(await readFile(statePath(file), 'utf8')) as ImportState;
    return state.project === project && state.size === size ? state : null;
  } catch {
    return null;
  }
}

export async function saveState(file: string, state: ImportState): Promise<void> {
  const fresh = `${statePath(file)}.new`;
  await writeFile(fresh, JSON.stringify(state), { mode: 0o600 });
  await rename(fresh, statePath(file));
}

export const deleteState = (file: string): Promise<void> => rm(statePath(file), { force: true });
