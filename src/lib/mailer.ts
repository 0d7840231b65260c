/** Sends mail through an SMTP server. Nothing waits for it, and failing mail fails no request: it is logged. */
import { Readable } from 'node:stream';
import { createTransport, type Transporter } from 'nodemailer';
import type { Logger } from './log.ts';

interface Mail {
  to: string;
  subject: string;
  text: string;
}

interface DeliveredMail extends Mail {
  html: string;
  /** The same at every attempt, so that receivers can tell a repeat. */
  messageId: string;
  headers: Readonly<Record<string, string>>;
  /** Shown by the HTML. */
  pictures?: readonly { cid: string; filename: string; content: Buffer }[];
}

type MailOutcome =
  | { kind: 'sent' }
  /** It was not sent; worth a retry. */
  | { kind: 'failed'; why: string; status: number | null }
  /** Not worth a retry. */
  | { kind: 'refused'; why: string; status: number | null }
  /** The connection broke while the server may have accepted it. */
  | { kind: 'unknown'; why: string };

interface MailerOptions {
  /** Null: there is no mail server, and nothing is sent. */
  url: string | null;
  from: string | null;
  log: Pick<Logger, 'warn' | 'info'>;
}

const TIMEOUT_MS = 10_000;
/** Further mail is dropped with a warning: a mail server that hangs must not fill the memory. */
const MAX_WAITING = 200;

export class Mailer {
  readonly #options: MailerOptions;
  readonly #transport: Transporter | null;
  readonly #sending = new Set<Promise<void>>();

  constructor(options: MailerOptions) {
    this.#options = options;
    this.#transport = options.url === null ? null : createTransport(withTimeouts(options.url));
  }

  get isAvailable(): boolean {
    return this.#transport !== null;
  }

  /** At the start: a wrong setting should be noticed before somebody waits for a mail. */
  async check(): Promise<void> {
    try {
      await this.#transport?.verify();
    } catch (err) {
      this.#options.log.warn({ err }, 'the mail server cannot be used (SMTP_URL); mail will be tried all the same');
    }
  }

  send(mail: Mail): void {
    if (this.#transport === null) return;
    if (this.#sending.size >= MAX_WAITING) {
      this.#options.log.warn(
        { subject: mail.subject },
        'a mail was not sent: too many are waiting for the mail server',
      );
      return;
    }
    const sending = this.#transport.sendMail({ ...mail, from: this.#options.from ?? undefined }).then(
      () => undefined,
      (err: unknown) => this.#options.log.warn({ err, subject: mail.subject }, 'a mail was not sent'),
    );
    this.#sending.add(sending);
    void sending.then(() => this.#sending.delete(sending));
  }

  /**
   * One attempt, whose outcome is known to the caller. `beforeData` runs when the mail server wants the content: before,
   * nothing can have arrived. If it rejects, nothing is sent.
   */
  async deliver(mail: DeliveredMail, beforeData: () => Promise<void>): Promise<MailOutcome> {
    const { url, from } = this.#options;
    if (url === null) return { kind: 'refused', why: 'there is no mail server (SMTP_URL)', status: null };
    let isHandedOver = false;
    const transport = createTransport(withTimeouts(url));
    transport.use('stream', ({ message }, done) => {
      const read = message.createReadStream.bind(message);
      // Its connection begins to read this after the answer to DATA.
      message.createReadStream = () =>
        Readable.from(
          (async function* () {
            await beforeData();
            isHandedOver = true;
            yield* read();
          })(),
        );
      done();
    });
    const { pictures = [], ...rest } = mail;
    const attachments = pictures.map((picture) => ({ ...picture, contentDisposition: 'inline' as const }));
    try {
      await transport.sendMail({ ...rest, attachments, headers: { ...mail.headers }, from: from ?? undefined });
      return { kind: 'sent' };
    } catch (error) {
      return outcomeOf(error, isHandedOver);
    } finally {
      transport.close();
    }
  }

  /** Waits for what is being sent, which ends by its timeouts. */
  async close(): Promise<void> {
    await Promise.all(this.#sending);
    this.#transport?.close();
  }
}

/** An answer of the server is clear; without one, a mail that was being handed over may have been accepted. */
function outcomeOf(error: unknown, isHandedOver: boolean): MailOutcome {
  const { responseCode: status = null, code = 'unknown' } = error as { responseCode?: number; code?: string };
  if (status !== null) {
    return { kind: status >= 500 ? 'refused' : 'failed', why: `the mail server answered ${status}`, status };
  }
  return isHandedOver ? { kind: 'unknown', why: code } : { kind: 'failed', why: code, status };
}

const withTimeouts = (url: string) => ({
  url,
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  socketTimeout: TIMEOUT_MS,
});
