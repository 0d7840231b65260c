/** How assistants are connected to `/mcp`: the command or file of each client. */
interface AssistantClient {
  id: string;
  label: string;
  hint: string;
  code: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Without a key, its place is marked. */
export function assistantClients(host: string, key: string | null): AssistantClient[] {
  const url = `${host}/mcp`;
  return [
    {
      id: 'claude',
      label: 'Claude Code',
      hint: 'Run this once.',
      code: `claude mcp add --transport http cairn ${url} --header "Authorization: Bearer ${key ?? '$KEY'}"`,
    },
    {
      id: 'cursor',
      label: 'Cursor',
      hint: 'Put this into .cursor/mcp.json, and the key into the environment as CAIRN_KEY: files end up in repositories.',
      code: json({ mcpServers: { cairn: { url, headers: bearer('env:CAIRN_KEY') } } }),
    },
    {
      id: 'vscode',
      label: 'VS Code',
      hint: 'Put this into .vscode/mcp.json. VS Code asks for the key when it first connects.',
      code: json({
        inputs: [{ id: 'cairn-key', type: 'promptString', description: 'Personal API key', password: true }],
        servers: { cairn: { type: 'http', url, headers: bearer('input:cairn-key') } },
      }),
    },
  ];
}

const bearer = (variable: string) => ({ Authorization: `Bearer \${${variable}}` });
