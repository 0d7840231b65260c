/** The flags of flag-definitions.ts, in the format of Unleash. */
interface Strategy {
  constraints: object[];
  rollout: number;
  variants?: readonly string[];
}

const oneOf = (contextName: string, values: string[]): object => ({ contextName, operator: 'IN', values });

const SHAPES: readonly ((n: number) => Strategy[])[] = [
  () => [{ constraints: [oneOf('plan', ['team', 'business'])], rollout: 50 }],
  () => [
    { constraints: [oneOf('country', ['DE', 'FR', 'NL'])], rollout: 100, variants: ['control', 'first', 'second'] },
  ],
  () => [
    {
      constraints: [
        { contextName: 'age', operator: 'NUM_GT', value: '40' },
        { contextName: 'email', operator: 'STR_CONTAINS', values: ['@example'], caseInsensitive: true },
      ],
      rollout: 80,
      variants: ['control', 'test'],
    },
  ],
  (n) => [
    { constraints: [oneOf('beta', ['true'])], rollout: 100 },
    { constraints: [], rollout: n % 100 },
  ],
];

export async function makeUnleashFlags(url: string, names: readonly string[]): Promise<void> {
  const features = `${url}/api/admin/projects/default/features`;
  for (const [n, name] of names.entries()) {
    await post(features, { name, type: 'release' });
    const environment = `${features}/${name}/environments/development`;
    for (const strategy of SHAPES[n % SHAPES.length]?.(n) ?? [])
      await post(`${environment}/strategies`, sent(name, strategy));
    await post(`${environment}/on`, {});
  }
}

const sent = (name: string, { constraints, rollout, variants = [] }: Strategy): object => ({
  name: 'flexibleRollout',
  constraints,
  parameters: { rollout: String(rollout), stickiness: 'default', groupId: name },
  variants: variants.map((variant, i) => ({
    name: variant,
    weight: Math.floor(1000 / variants.length) + (i < 1000 % variants.length ? 1 : 0),
    weightType: 'variable',
    stickiness: 'default',
  })),
});

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}
