/** The signed-in user and the current project, for every page below the shell. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '../api/accounts.ts';
import type { ProjectBasic } from '../api/projects.ts';

export interface Session {
  me: User;
  /** From the URL, or the one used last. */
  project: ProjectBasic;
  projects: readonly ProjectBasic[];
  /** Call after a change to the user or a project. */
  reload(): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession needs a signed-in user');
  return session;
}

export const useProject = (): ProjectBasic => useSession().project;
