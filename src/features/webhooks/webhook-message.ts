/** What a webhook is told, as Slack and its like read it: `*bold*`, `<address|words>`, one line for each name. */

export interface WebhookFact {
  event: string;
  /** How many events of this name there are to tell of. */
  count: number;
  /** Whose the latest of them was; null where nobody is known. */
  person: { name: string; url: string | null } | null;
  /** When it happened, ms UTC, where that is worth a word: it is old by now. */
  happenedAt: number | null;
}

const MAX_NAME_LENGTH = 100;

export function webhookMessage(project: string, news: readonly WebhookFact[]): string {
  const lines = news.map(lineOf);
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
 * Names come from anybody who knows the project's public key. They must not become links or call people: what means
 * something to Slack is written as it asks for, and `@all` at the beginning of a word is kept apart from its sign.
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
