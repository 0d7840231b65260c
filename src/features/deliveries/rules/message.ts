/** What one message says, and how it is written for each kind of target. Names in it come from strangers. */
import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../core/json/json.ts';
import { CHART_HEIGHT, CHART_WIDTH, chartRange, colorOf } from './chart-svg.ts';
import { changeText, type DigestTile, numberText, tileData } from './digest-tile.ts';

type MessageType =
  | 'alert.firing'
  | 'alert.cleared'
  | 'alert.reminder'
  | 'alert.errored'
  | 'alert.test'
  | 'target.paused'
  | 'digest'
  | 'digest.test'
  | 'digest.invitation'
  | 'digest.paused'
  | 'audit'
  | 'audit.test'
  | `flag.${'changed' | 'change_not_made' | 'rollout_halted' | 'approval_requested' | 'approval_decided'}`
  | `experiment.${'launched' | 'ended' | 'shipped' | 'rolled_back' | 'guardrail'}`;

export interface Message {
  type: MessageType;
  /** ms UTC. */
  timestamp: number;
  title: string;
  text: string;
  /** Shown as a table. */
  facts: readonly { name: string; value: string }[];
  /** In the console; null where its address is unknown. */
  url: string | null;
  /** For programs. */
  data: JsonObject;
  /** Of a digest. */
  tiles?: readonly DigestTile[];
}

const MAX_TITLE_LENGTH = 200;

/** In one line: nothing in it can become a header of a mail or a line of its own. */
function oneLine(text: string, max = MAX_TITLE_LENGTH): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...plain].length > max ? `${[...plain].slice(0, max).join('')}…` : plain;
}

/**
 * Slack's special characters, and what Mattermost and Discord take for a link or a picture (`[text](address)`). `@` is
 * separated from the word after it, so that nobody is called.
 */
const escapeSlack = (text: string): string =>
  oneLine(text, 500)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/([*_~`])/g, '\u200b$1')
    .replaceAll('](', ']\u200b(')
    .replaceAll(/(?<!\w)@(?=\w)/g, '@\u200b');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Also what Mattermost takes, and Discord below `/slack`. */
export function slackBody({ title, text, facts, url, tiles = [] }: Message): string {
  const lines = [
    slackHeading(title, url),
    escapeSlack(text),
    ...facts.map(({ name, value }) => `${escapeSlack(name)}: ${escapeSlack(value)}`),
  ];
  const sections = [lines.filter((line) => line !== '').join('\n'), ...tiles.map(slackTile)];
  return JSON.stringify({
    text: sections.join('\n\n'),
    blocks: sections.map((section) => ({
      type: 'section',
      text: { type: 'mrkdwn', text: section.slice(0, MAX_SLACK_SECTION) },
    })),
  });
}

const MAX_SLACK_SECTION = 3000;

const slackHeading = (title: string, url: string | null): string =>
  url === null ? `*${escapeSlack(title)}*` : `*<${url}|${escapeSlack(title)}>*`;

const slackTile = (tile: DigestTile): string =>
  [slackHeading(tile.name, tile.url), ...tileLines(tile).map(escapeSlack)].join('\n');

export const webhookBody = ({ type, timestamp, data, tiles }: Message): string =>
  JSON.stringify({
    type,
    timestamp: new Date(timestamp).toISOString(),
    data: tiles === undefined ? data : { ...data, tiles: tiles.map(tileData) },
  });

/** After Standard Webhooks: one signature for each valid secret. */
export function signatureHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1000);
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}

/** With one click in mail programs that know RFC 8058. */
export const unsubscribeHeaders = (url: string | null): Record<string, string> =>
  url === null ? {} : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** What is said about a tile, without its name. */
function tileLines({ numbers, table, period, note }: DigestTile): string[] {
  const shown = numbers.map((one) => {
    const change = changeText(one);
    return `${one.label}: ${numberText(one.value, one.unit)}${change === '' ? '' : ` (${change})`}`;
  });
  const rows = table === null ? [] : [table.columns, ...table.rows].map((row) => row.join(' | '));
  return [...(period === null ? [] : [period]), ...shown, ...rows, ...(note === null ? [] : [note])];
}

/**
 * Plain text, and HTML without anything from afar. `pictures`: the `cid` of the chart of each tile that has one, by its
 * position.
 */
export function mailText(
  { title, text, facts, url, tiles = [] }: Message,
  unsubscribeUrl: string | null = null,
  pictures: ReadonlyMap<number, string> = new Map(),
): MailText {
  const lines = [
    oneLine(title),
    '',
    text,
    '',
    ...facts.map(({ name, value }) => `${oneLine(name)}: ${oneLine(value, 500)}`),
    ...tiles.flatMap((tile) => [
      '',
      oneLine(tile.name),
      ...tileLines(tile).map((line) => `  ${oneLine(line, 500)}`),
      ...(tile.url === null ? [] : [`  ${tile.url}`]),
    ]),
    ...(url === null ? [] : ['', url]),
    ...(unsubscribeUrl === null ? [] : ['', `Unsubscribe: ${unsubscribeUrl}`]),
  ];
  const rows = facts.map(
    ({ name, value }) =>
      `<tr><td style="padding:2px 12px 2px 0">${escapeHtml(oneLine(name))}</td><td><b>${escapeHtml(oneLine(value, 500))}</b></td></tr>`,
  );
  const html = [
    `<h2 style="font:600 18px sans-serif">${escapeHtml(oneLine(title))}</h2>`,
    `<p style="font:14px sans-serif">${escapeHtml(text)}</p>`,
    rows.length === 0 ? '' : `<table style="font:14px sans-serif">${rows.join('')}</table>`,
    ...tiles.map((tile, i) => tileHtml(tile, pictures.get(i))),
    url === null ? '' : `<p style="font:14px sans-serif"><a href="${escapeHtml(url)}">Open in Cairn</a></p>`,
    unsubscribeUrl === null
      ? ''
      : `<p style="font:12px sans-serif"><a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></p>`,
  ];
  return { subject: oneLine(title), text: lines.join('\n'), html: html.filter((part) => part !== '').join('\n') };
}

const inHtml = (text: string, max?: number): string => escapeHtml(oneLine(text, max));
const SMALL = 'font:12px sans-serif;color:#5f6670';

function tileHtml(tile: DigestTile, cid: string | undefined): string {
  const { name, url, period, chart, table, note } = tile;
  const title = url === null ? inHtml(name) : `<a href="${escapeHtml(url)}" style="color:inherit">${inHtml(name)}</a>`;
  const parts = [
    `<h3 style="font:600 15px sans-serif;margin:24px 0 2px">${title}</h3>`,
    period === null ? '' : `<p style="${SMALL};margin:0 0 6px">${inHtml(period)}</p>`,
    numbersHtml(tile),
    chart === null || cid === undefined ? '' : chartHtml(name, chart, cid),
    table === null ? '' : tableHtml(table),
    note === null ? '' : `<p style="${SMALL}">${inHtml(note, 500)}</p>`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** The square before a number has the color of its line in the chart. */
function numbersHtml({ numbers, chart }: DigestTile): string {
  if (numbers.length === 0) return '';
  const rows = numbers.map((one) => {
    const index = chart !== null && chart.series.length > 1 ? chart.series.findIndex(isOf(one.label)) : -1;
    const mark = index < 0 ? '' : `<span style="color:${colorOf(index)}">&#9632;</span> `;
    return (
      `<tr><td style="padding:2px 16px 2px 0">${mark}${inHtml(one.label)}</td>` +
      `<td style="padding:2px 16px 2px 0;text-align:right"><b style="font-size:16px">${numberText(one.value, one.unit)}</b></td>` +
      `<td style="color:#5f6670">${escapeHtml(changeText(one))}</td></tr>`
    );
  });
  return `<table style="font:14px sans-serif">${rows.join('')}</table>`;
}

const isOf =
  (label: string) =>
  (series: { label: string }): boolean =>
    series.label === label;

function chartHtml(name: string, chart: NonNullable<DigestTile['chart']>, cid: string): string {
  const { low, high } = chartRange(chart);
  const [first, last] = chart.labels;
  const axis = `${SMALL};padding-right:6px;text-align:right`;
  return (
    `<table style="border-collapse:collapse"><tr><td style="${axis};vertical-align:top">${numberText(high)}</td>` +
    `<td rowspan="2" colspan="2"><img src="cid:${escapeHtml(cid)}" width="${CHART_WIDTH}" height="${CHART_HEIGHT}" alt="Chart: ${inHtml(name)}" style="max-width:100%;height:auto;display:block"></td></tr>` +
    `<tr><td style="${axis};vertical-align:bottom">${numberText(low)}</td></tr>` +
    `<tr><td></td><td style="${SMALL}">${inHtml(first)}</td><td style="${SMALL};text-align:right">${inHtml(last)}</td></tr></table>`
  );
}

function tableHtml({ columns, rows }: NonNullable<DigestTile['table']>): string {
  const cells = (row: readonly string[], tag: 'td' | 'th'): string =>
    row.map((cell) => `<${tag} style="padding:2px 16px 2px 0;text-align:left">${inHtml(cell, 200)}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
  return `<table style="font:14px sans-serif"><tr>${cells(columns, 'th')}</tr>${body}</table>`;
}
