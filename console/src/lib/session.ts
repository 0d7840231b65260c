/** Who is signed in and which project is looked at: for every page below the shell. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '../api/accounts.ts';
import type { ProjectBasic } from '../api/projects.ts';

export interface Session {
  me: User;
  /** Of the address, else the one that was used last. */
  project: ProjectBasic;
  /** All that one may look at. */
  projects: readonly ProjectBasic[];
  /** After a change to the user or to a project. */
  reload(): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('This part needs somebody who is signed in');
  return session;
}

export const useProject = (): ProjectBasic => useSession().project;
