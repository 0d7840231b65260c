import { expect, it } from 'vitest';
import { assistantClients } from './clients.ts';

it('shows the address, and the key only where it does not end up in a file', () => {
  const [claude, cursor, vscode] = assistantClients('https://cairn.example.org', 'phx_secret');
  expect(claude?.code).toBe(
    'claude mcp add --transport http cairn https://cairn.example.org/mcp --header "Authorization: Bearer phx_secret"',
  );
  expect(JSON.parse(cursor?.code ?? '')).toEqual({
    mcpServers: {
      cairn: { url: 'https://cairn.example.org/mcp', headers: { Authorization: `Bearer $${'{env:CAIRN_KEY}'}` } },
    },
  });
  expect(JSON.parse(vscode?.code ?? '').servers.cairn).toMatchObject({
    type: 'http',
    headers: { Authorization: `Bearer $${'{input:cairn-key}'}` },
  });
  expect([cursor?.code, vscode?.code].join('')).not.toContain('phx_secret');
  expect(assistantClients('https://cairn.example.org', null)[0]?.code).toContain('Bearer $KEY');
});
