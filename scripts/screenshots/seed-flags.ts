/** Flags in every state that the list shows, and one with a history. */
type Call = (method: string, path: string, body: object) => Promise<unknown>;

const all = (rollout_percentage: number) => ({ groups: [{ properties: [], rollout_percentage }] });
const plan = (...value: string[]) => ({ key: 'plan', type: 'person', operator: 'exact', value });
const halves = {
  variants: [
    { key: 'control', name: 'Current checkout', rollout_percentage: 50 },
    { key: 'one-page', name: 'All steps on one page', rollout_percentage: 50 },
  ],
};

/** Returns the ID of the flag to open. */
export async function seedFlags(call: Call): Promise<number> {
  const make = async (flag: object): Promise<number> =>
    ((await call('POST', '/api/projects/1/feature_flags/', flag)) as { id: number }).id;
  const roles = '/api/organizations/@current/roles/';
  await call('POST', roles, { name: 'Support' });
  const role = (await call('POST', roles, { name: 'Shop team' })) as { id: string };
  await make({ key: 'dark-footer', name: 'New footer design', filters: all(100), tags: ['design'] });
  await make({ key: 'fast-search', name: 'Search as you type', filters: all(25), tags: ['search', 'beta'] });
  await make({
    key: 'shop-limits',
    name: 'Cart size limits',
    filters: { ...all(100), payloads: { true: '{"items": 40}' } },
    is_remote_configuration: true,
  });
  await make({
    key: 'route-planner',
    name: 'Plan a walk from the shop',
    filters: all(50),
    active: false,
    tags: ['beta'],
  });
  const id = await make({
    key: 'new-checkout',
    name: 'One-page checkout',
    tags: ['shop', 'beta'],
    filters: { ...all(10), multivariate: halves },
  });
  const path = `/api/projects/1/feature_flags/${id}/`;
  const groups = [
    { properties: [plan('free', 'team')], rollout_percentage: 100, variant: 'one-page' },
    { properties: [], rollout_percentage: 25 },
  ];
  await call('PATCH', path, { filters: { groups, multivariate: halves } });
  await call('PATCH', path, {
    filters: { groups, multivariate: halves, payloads: { 'one-page': '{"steps": 1}' } },
    rollback_conditions: [
      { threshold: 50, operator: 'gt', threshold_metric: { event: '$exception', math: 'total', window: '15m' } },
    ],
  });
  await call('POST', `${path}role_access/`, { role_id: role.id });
  return id;
}
