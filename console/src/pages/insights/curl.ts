/** Nothing in single quotes means anything to a shell, but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that asks the same question; the key stays out of it. */
export const curlFor = (url: string, body: object): string =>
  [
    `curl ${quoted(url)}`,
    `-H "Authorization: Bearer $CAIRN_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
