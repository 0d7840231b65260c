/** Products whose flags can be imported: where their exports come from, and what is in them. */
import type { ImportSource } from '../../../api/flag-imports.ts';

interface SourceInfo {
  label: string;
  /** What to choose as file. */
  file: string;
  /** What becomes of groups of users that conditions refer to. */
  segments: string;
}

export const SOURCES: Readonly<Record<ImportSource, SourceInfo>> = {
  unleash: {
    label: 'Unleash',
    file: 'The export of features, from its console or from /api/admin/features-batch/export.',
    segments: 'Segments become release conditions of the flags that use them.',
  },
  growthbook: {
    label: 'GrowthBook',
    file: 'The payload of an SDK connection without encryption, from /api/features/<client key>.',
    segments: 'Saved groups become release conditions of the flags that use them.',
  },
  launchdarkly: {
    label: 'LaunchDarkly',
    file: 'The flags of a project, from /api/v2/flags/<project>?summary=0. Put its segments beside them as “segments”.',
    segments: 'Segments become release conditions of the flags that use them.',
  },
  flagd: {
    label: 'flagd',
    file: 'The file with the definitions of flags, as JSON.',
    segments: 'Shared evaluators become release conditions of the flags that use them.',
  },
  posthog: {
    label: 'PostHog',
    file: 'The response of /api/projects/:id/feature_flags/. Put the list of cohorts beside its results as “cohorts”.',
    segments: 'Cohorts are matched by name. Those that this project does not have are created; static ones are not.',
  },
};

export const SOURCE_OPTIONS = (Object.keys(SOURCES) as ImportSource[]).map((value) => ({
  value,
  label: SOURCES[value].label,
}));

export const isSource = (text: string): text is ImportSource => Object.hasOwn(SOURCES, text);
