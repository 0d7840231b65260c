import type { ProjectDirectory } from '../access/project-directory.ts';
import type { FlagSnapshots } from '../features/flags/decide/flag-snapshots.ts';
import type { ResultCache } from '../features/insights/result-cache.ts';
import type { BackendListeners } from './backend.ts';

/** Caches of what is in the metadata store. */
interface MetadataCaches {
  flagSnapshots: FlagSnapshots;
  directory: ProjectDirectory;
}

/** Invalidates caches when the backend reports a change. `caches` is null until the backend is open. */
export function cacheListeners(results: ResultCache, caches: () => MetadataCaches | null): BackendListeners {
  return {
    onStored(projects, regrouped) {
      for (const projectId of regrouped) caches()?.flagSnapshots.invalidate(projectId);
      for (const projectId of projects) results.invalidateHere(projectId);
    },
    onUnknownChange() {
      caches()?.flagSnapshots.invalidateAll();
      results.invalidateAll();
    },
    onDefinitionsChanged(projectId) {
      caches()?.directory.invalidate();
      if (projectId === null) {
        caches()?.flagSnapshots.invalidateAll();
        results.invalidateAll();
      } else {
        caches()?.flagSnapshots.invalidate(projectId);
        results.invalidateHere(projectId);
      }
    },
  };
}
