/**
 * The few pages that people need before the console is there: set-up by the link of the first start, sign-in, and a
 * front page that says where things are. Plain forms, no script.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../core/errors.ts';
import { callerBySession, currentProject } from '../../manage/callers.ts';
import type { OpenedSession } from '../../manage/sessions.ts';
import type { ApiDeps } from '../api/deps.ts';
import { statusOf } from '../errors.ts';
import { type Query, queryText } from '../paging.ts';
import { SetUpSchema, SignInSchema } from '../schemas/session.ts';
import { clearSessionCookie, sessionCookie, setSessionCookie } from '../session-cookie.ts';
import { readValue } from '../validate.ts';
import { type Html, html, NOTHING } from './html.ts';
import { page, problem, STYLE } from './layout.ts';

type PageDeps = Pick<ApiDeps, 'metadata' | 'clock' | 'sessions'>;

/** Nothing but our own style, forms that lead back to us, in nobody's frame. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  // The set-up link is a secret, and must not travel on.
  'referrer-policy': 'no-referrer',
};

const hidden = { schema: { hide: true } } as const;

export function pageRoutes(app: FastifyInstance, deps: PageDeps): void {
  app.get('/pages.css', hidden, async (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
  app.get('/', hidden, async (request, reply) => show(reply, 'Cairn is running', await frontPage(deps, request)));
  app.get('/setup', hidden, async (request, reply) =>
    show(reply, 'Set up your account', setUpForm(queryText(request.query as Query, 'token') ?? '')),
  );
  app.post('/setup', hidden, (request, reply) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    const again = (message: Html): Html => setUpForm(typeof token === 'string' ? token : '', message);
    return enter(request, reply, 'Set up your account', again, async () => {
      const { token: link, email, password, first_name } = readValue(SetUpSchema, request.body) as SetUp;
      return deps.sessions.setUp(link, email, password, first_name ?? '');
    });
  });
  app.get('/login', hidden, async (_request, reply) => show(reply, 'Sign in', signInForm()));
  app.post('/login', hidden, (request, reply) =>
    enter(request, reply, 'Sign in', signInForm, async () => {
      const { email, password } = readValue(SignInSchema, request.body) as SignIn;
      return deps.sessions.signIn(email, password, request.ip);
    }),
  );
  app.post('/logout', hidden, async (request, reply) => {
    const cookie = sessionCookie(request);
    if (cookie !== undefined) await deps.sessions.signOut(cookie);
    return reply.header('set-cookie', clearSessionCookie(request)).redirect('/', 303);
  });
}

interface SignIn {
  email: string;
  password: string;
}
interface SetUp extends SignIn {
  token: string;
  first_name?: string;
}

const show = (reply: FastifyReply, title: string, content: Html, status = 200): FastifyReply =>
  reply.code(status).headers(HEADERS).send(page(title, content));

/** Opens a session and goes to the front page; or shows the form again, saying what was wrong. */
async function enter(
  request: FastifyRequest,
  reply: FastifyReply,
  title: string,
  form: (message: Html) => Html,
  open: () => Promise<OpenedSession>,
): Promise<FastifyReply> {
  try {
    const session = await open();
    return reply.header('set-cookie', setSessionCookie(request, session.cookie, session.expiresAt)).redirect('/', 303);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
    const field = error.attr === undefined ? '' : `${error.attr}: `;
    return show(reply, title, form(problem(field + error.message)), statusOf(error.kind));
  }
}

const setUpForm = (token: string, message: Html = NOTHING): Html => html`${message}
<p>Choose how you sign in. This link works once.</p>
<form method="post" action="/setup">
<input type="hidden" name="token" value="${token}">
<label>Name <input name="first_name" autocomplete="given-name"></label>
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password, at least 8 characters
<input name="password" type="password" autocomplete="new-password" minlength="8" required></label>
<button>Set up</button>
</form>`;

const signInForm = (message: Html = NOTHING): Html => html`${message}
<form method="post" action="/login">
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>`;

async function frontPage(deps: PageDeps, request: FastifyRequest): Promise<Html> {
  const cookie = sessionCookie(request);
  const caller = cookie === undefined ? null : await callerBySession(deps, cookie);
  const links = html`<p><a href="/docs">The API and its documentation</a> · <a href="/_status">Status</a></p>`;
  if (!caller) return html`<p>The console comes with a later version. <a href="/login">Sign in</a></p>${links}`;
  const project = await currentProject(deps.metadata, caller).catch(() => null);
  const key = project ? html`<p>${project.name}: project key <code>${project.apiToken}</code></p>` : NOTHING;
  return html`<p>Signed in as ${caller.user.email}. The console comes with a later version.</p>${key}${links}
<form method="post" action="/logout"><button>Sign out</button></form>`;
}
