/** How far an import has got, kept beside the file: what is in it has been taken, and is on disk. */
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';

export interface ImportState {
  project: number;
  /** Of the file: another size is another file. */
  size: number;
  /** The byte at which the next line begins, and its number. */
  offset: number;
  line: number;
  events: number;
  persons: number;
  bad: number;
  /** How long the file of bad lines is by now. */
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

/** Null where there is none, or it tells of another file or project. */
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
