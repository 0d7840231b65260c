import { expect, it } from 'vitest';
import { KEY_SUBJECTS } from '../../console/src/pages/accounts/key-access.ts';
import { SCOPE_OBJECTS } from '../../src/core/scopes.ts';

it('offers every scope of the server in the console', () => {
  expect(KEY_SUBJECTS).toEqual(SCOPE_OBJECTS);
});
