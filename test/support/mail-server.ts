/** A real mail server on a free port, which keeps what it is given. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';

interface ReceivedMail {
  to: string[];
  /** Headers and text as sent, without soft line breaks. */
  text: string;
}

export interface MailServer {
  /** Settings for a server that uses it. */
  config: { smtpUrl: string; smtpFrom: string };
  mails: ReceivedMail[];
  /** What it does with the next mails, in order; it accepts all others. `drop`: takes the mail and hangs up. */
  answers: ('later' | 'refuse' | 'drop')[];
  /** What happens between the address of a mail and its content. */
  beforeData: () => Promise<void>;
  /** The next mail to an address that has not been taken yet; waits for it. */
  take(to: string): Promise<string>;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const answers: MailServer['answers'] = [];
  let beforeData: MailServer['beforeData'] = async () => undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => void beforeData().then(() => done(), done),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const answer = answers.shift();
        if (answer === 'later' || answer === 'refuse')
          return done(Object.assign(new Error('not now'), { responseCode: answer === 'later' ? 451 : 550 }));
        mails.push({ to, text: decode(Buffer.concat(chunks).toString()) });
        if (answer === 'drop') for (const connection of server.connections) connection.close();
        else done();
      });
    },
  });
  // A client that is killed resets its connection.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    config: { smtpUrl: `smtp://127.0.0.1:${port}`, smtpFrom: 'Cairn <cairn@example.org>' },
    mails,
    answers,
    set beforeData(step: () => Promise<void>) {
      beforeData = step;
    },
    async take(to) {
      const find = (): number => mails.findIndex((mail) => mail.to.includes(to));
      await expect.poll(find, { timeout: 10_000 }).not.toBe(-1);
      return mails.splice(find(), 1)[0]?.text ?? '';
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable. */
const decode = (text: string): string =>
  text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The path and token of a link in a mail. */
export function linkIn(text: string): { path: string; token: string } {
  const [, path = '', token = ''] = /https?:\/\/[^/\s]+(\/[^#\s]+)#token=(\w+)/.exec(text) ?? [];
  return { path, token };
}
