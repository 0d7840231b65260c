import { newPersonalKey, storedValue } from '../../src/features/accounts/personal-keys.ts';
import type { PersonalKey } from '../../src/stores/metadata/accounts.ts';
import type { TestServer } from './server.ts';

let made = 0;

/** A key of the user, past the API: quickly, and also such as the API would not make. */
export async function scopedKey(
  server: Pick<TestServer, 'metadata'>,
  scopes: readonly string[],
  rest: Partial<Omit<PersonalKey, 'hash' | 'mask'>> = {},
): Promise<string> {
  const value = `phx_scoped_${++made}`;
  const deps = { clock: { now: () => 0 }, ids: { uuid: () => crypto.randomUUID() } };
  const key = newPersonalKey(deps as Parameters<typeof newPersonalKey>[0], { id: 1 }, { label: value, scopes });
  await server.metadata.personalKeys.create({ ...key, ...rest, ...storedValue(value) });
  return value;
}
