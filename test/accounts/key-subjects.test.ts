import { expect, it } from 'vitest';
import { KEY_SUBJECTS, scopesOf } from '../../console/src/pages/accounts/key-access.ts';
import { ASSISTANT_SCOPES, SCOPE_OBJECTS } from '../../src/core/scopes.ts';

it('offers every scope of the server in the console', () => {
  expect(KEY_SUBJECTS).toEqual(SCOPE_OBJECTS);
});

it('gives assistants the same scopes in the console as by the command line', () => {
  expect(scopesOf('assistant', {})).toEqual(ASSISTANT_SCOPES);
});
