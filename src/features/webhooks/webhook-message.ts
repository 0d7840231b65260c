/** The text of a webhook message in Slack's format: `*bold*`, `<url|text>`, one line for each event name. */
export interface WebhookFact {
  event: string;
  /** How many events of this name. */
  count: number;
  /** Of the latest event; null if unknown. */
  person: { name: string; url: string | null } | null;
  /** ms UTC; null where it happened just now. */
  happenedAt: number | null;
}

const MAX_NAME_LENGTH = 100;

export function webhookMessage(project: string, facts: readonly WebhookFact[]): string {
  const lines = facts.map(lineOf);
  return lines.length === 1
    ? `[${escapeName(project)}] ${lines[0]}`
    : [`[${escapeName(project)}]`, ...lines].join('\n');
}

function lineOf({ event, count, person, happenedAt }: WebhookFact): string {
  const what = count === 1 ? `*${escapeName(event)}*` : `${count} × *${escapeName(event)}*`;
  const by = person === null ? '' : `${count === 1 ? ' by' : ', the last by'} ${linked(person)}`;
  const at = happenedAt === null ? '' : `, ${new Date(happenedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${what}${by}${at}`;
}

const linked = ({ name, url }: { name: string; url: string | null }): string =>
  url === null ? escapeName(name) : `<${url}|${escapeName(name)}>`;

/**
 * Names come from anybody who knows the project's public key. They must not become links or mentions: Slack's special
 * characters are escaped, and `@` is separated from the word after it.
 */
function escapeName(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const short = [...plain].length > MAX_NAME_LENGTH ? `${[...plain].slice(0, MAX_NAME_LENGTH).join('')}…` : plain;
  return short
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?<!\w)@(?=\w)/g, '@\u200b');
}
