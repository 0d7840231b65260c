/** What a webhook is told, as Slack and its like read it: `*bold*`, `<address|words>`, one line for each name. */

export interface News {
  event: string;
  /** How many events of this name there are to tell of. */
  count: number;
  /** Whose the latest of them was; null where nobody is known. */
  person: { name: string; url: string | null } | null;
  /** When it happened, ms UTC, where that is worth a word: it is old by now. */
  happenedAt: number | null;
}

const LONGEST = 100;

export function webhookMessage(project: string, news: readonly News[]): string {
  const lines = news.map(lineOf);
  return lines.length === 1 ? `[${shown(project)}] ${lines[0]}` : [`[${shown(project)}]`, ...lines].join('\n');
}

function lineOf({ event, count, person, happenedAt }: News): string {
  const what = count === 1 ? `*${shown(event)}*` : `${count} × *${shown(event)}*`;
  const by = person === null ? '' : `${count === 1 ? ' by' : ', the last by'} ${linked(person)}`;
  const at = happenedAt === null ? '' : `, ${new Date(happenedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${what}${by}${at}`;
}

const linked = ({ name, url }: { name: string; url: string | null }): string =>
  url === null ? shown(name) : `<${url}|${shown(name)}>`;

/**
 * Names come from anybody who knows the project's public key. They must not become links or call people: what means
 * something to Slack is written as it asks for, and `@all` at the beginning of a word is kept apart from its sign.
 */
function shown(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const short = [...plain].length > LONGEST ? `${[...plain].slice(0, LONGEST).join('')}…` : plain;
  return short
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?<!\w)@(?=\w)/g, '@\u200b');
}
