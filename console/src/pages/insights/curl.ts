/** In single quotes, a shell interprets nothing but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same query as a command, without the API key. */
export const curlFor = (url: string, body: object): string =>
  [
    `curl ${quoted(url)}`,
    `-H "Authorization: Bearer $CAIRN_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
