/** What a personal key may do, as choices and in words. */

/** A test compares them with those of the server. */
export const KEY_SUBJECTS = [
  'access_control',
  'action',
  'activity_log',
  'alert',
  'annotation',
  'approvals',
  'batch_export',
  'cohort',
  'dashboard',
  'early_access_feature',
  'event_definition',
  'experiment',
  'feature_flag',
  'group',
  'hog_function',
  'ingestion_warning',
  'insight',
  'organization',
  'organization_member',
  'person',
  'project',
  'property_definition',
  'query',
  'sharing_configuration',
  'subscription',
  'user',
] as const;

const EVERYTHING = '*';

export type Preset = 'read' | 'assistant' | 'flags' | 'all' | 'custom';

export const PRESETS: readonly { value: Preset; label: string }[] = [
  { value: 'read', label: 'Read only' },
  { value: 'assistant', label: 'Assistant (MCP)' },
  { value: 'flags', label: 'Local evaluation of flags' },
  { value: 'all', label: 'Full access' },
  { value: 'custom', label: 'Custom' },
];

const NOT_FOR_ASSISTANTS = new Set([
  'access_control',
  'batch_export',
  'hog_function',
  'organization',
  'organization_member',
  'sharing_configuration',
  'subscription',
  'user',
]);

export type Access = '' | 'read' | 'write';
export type CustomAccess = Readonly<Record<string, Access>>;

export function scopesOf(preset: Preset, custom: CustomAccess): string[] {
  switch (preset) {
    case 'read':
      return KEY_SUBJECTS.map((name) => `${name}:read`);
    case 'assistant':
      return KEY_SUBJECTS.filter((name) => !NOT_FOR_ASSISTANTS.has(name)).map((name) => `${name}:read`);
    case 'flags':
      return ['feature_flag:read'];
    case 'all':
      return [EVERYTHING];
    case 'custom':
      return Object.entries(custom).flatMap(([name, access]) => (access === '' ? [] : [`${name}:${access}`]));
  }
}

/** `Read only`, or the first few: `feature_flag:read and 3 more`. */
export function describeScopes(scopes: readonly string[]): string {
  if (scopes.includes(EVERYTHING)) return 'Full access';
  const preset = PRESETS.find(({ value }) => value !== 'custom' && sameScopes(scopesOf(value, {}), scopes));
  if (preset) return preset.label;
  const [first = '', ...others] = scopes;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

const sameScopes = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((scope) => other.includes(scope));
