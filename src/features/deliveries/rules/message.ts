/** What one message says, and how it is written for each kind of target. Names in it come from strangers. */
import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../core/json/json.ts';

type MessageType =
  | 'alert.firing'
  | 'alert.cleared'
  | 'alert.reminder'
  | 'alert.errored'
  | 'alert.test'
  | 'target.paused'
  | 'audit.entry'
  | 'audit.test'
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
}

const MAX_TITLE_LENGTH = 200;

/** In one line: nothing in it can become a header of a mail or a line of its own. */
function oneLine(text: string, max = MAX_TITLE_LENGTH): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...plain].length > max ? `${[...plain].slice(0, max).join('')}…` : plain;
}

/** Slack's special characters; `@` is separated from the word after it, so that nobody is called. */
const escapeSlack = (text: string): string =>
  oneLine(text, 500)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/([*_~`])/g, '\u200b$1')
    .replaceAll(/(?<!\w)@(?=\w)/g, '@\u200b');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Also what Mattermost takes, and Discord below `/slack`. */
export function slackBody({ title, text, facts, url }: Message): string {
  const heading = url === null ? `*${escapeSlack(title)}*` : `*<${url}|${escapeSlack(title)}>*`;
  const lines = [
    heading,
    escapeSlack(text),
    ...facts.map(({ name, value }) => `${escapeSlack(name)}: ${escapeSlack(value)}`),
  ];
  const mrkdwn = lines.filter((line) => line !== '').join('\n');
  return JSON.stringify({
    text: mrkdwn,
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: mrkdwn.slice(0, 3000) } }],
  });
}

export const webhookBody = ({ type, timestamp, data }: Message): string =>
  JSON.stringify({ type, timestamp: new Date(timestamp).toISOString(), data });

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

/** Plain text, and HTML without pictures or anything else from afar. */
export function mailText({ title, text, facts, url }: Message, unsubscribeUrl: string | null = null): MailText {
  const lines = [
    oneLine(title),
    '',
    text,
    '',
    ...facts.map(({ name, value }) => `${oneLine(name)}: ${oneLine(value, 500)}`),
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
    `<table style="font:14px sans-serif">${rows.join('')}</table>`,
    url === null ? '' : `<p style="font:14px sans-serif"><a href="${escapeHtml(url)}">Open in Cairn</a></p>`,
    unsubscribeUrl === null
      ? ''
      : `<p style="font:12px sans-serif"><a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></p>`,
  ];
  return { subject: oneLine(title), text: lines.join('\n'), html: html.join('\n') };
}
