/** The setup link of the first start: create an account, then name the project. */
import { useState } from 'preact/hooks';
import { getMe, setUp } from '../../api/accounts.ts';
import { ApiError } from '../../api/api-error.ts';
import { type ProjectBasic, updateProject } from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { ZoneField } from '../../components/zone-field.tsx';
import { readLinkToken } from '../../lib/link-token.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useAction } from '../../lib/use-resource.ts';
import { StandalonePage } from '../../shell/standalone-page.tsx';

export function Page() {
  const [project, setProject] = useState<ProjectBasic | null>(null);
  return project === null ? <AccountStep onDone={setProject} /> : <ProjectStep project={project} />;
}

const problemWith = (error: unknown, attr: string): string | null =>
  error instanceof ApiError && error.attr === attr ? error.message : null;

function AccountStep({ onDone }: { onDone(project: ProjectBasic): void }) {
  const token = readLinkToken(location);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    await setUp({ token, email, password, first_name: name });
    const { team } = await getMe();
    if (team) onDone(team);
    else navigate('/', { replace: true });
  });
  const isFieldError = error instanceof ApiError && ['email', 'password', 'first_name'].includes(error.attr ?? '');
  return (
    <StandalonePage title="Create your account">
      {token === '' && (
        <ErrorNote
          error={
            new Error(
              'The setup token is missing from the URL. Open the complete link that the server printed on its first start.',
            )
          }
        />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p class="muted">Step 1 of 2. The setup link works only once.</p>
        <TextField
          label="Name"
          autocomplete="given-name"
          value={name}
          onInput={setName}
          error={problemWith(error, 'first_name')}
        />
        <TextField
          label="Email"
          type="email"
          autocomplete="username"
          required
          value={email}
          onInput={setEmail}
          error={problemWith(error, 'email')}
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="new-password"
          required
          minLength={8}
          hint="At least 8 characters, not a common password."
          value={password}
          onInput={setPassword}
          error={problemWith(error, 'password')}
        />
        {error !== undefined && !isFieldError && <ErrorNote error={error} />}
        <Button type="submit" kind="primary" busy={busy} disabled={token === ''}>
          Create account
        </Button>
        <p class="small">
          <a href="/login">Already have an account? Sign in</a>
        </p>
      </form>
    </StandalonePage>
  );
}

function ProjectStep({ project }: { project: ProjectBasic }) {
  const [name, setName] = useState(project.name);
  const [timezone, setTimezone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC');
  const finish = (): void => navigate(pathTo('welcome', { project: project.id }) ?? '/', { replace: true });
  const { run, busy, error } = useAction(async () => {
    await updateProject(project.id, { name, timezone });
    finish();
  });
  return (
    <StandalonePage title="Name your project">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p class="muted">Step 2 of 2. Use one project per product or website. You can add more later.</p>
        <TextField
          label="Project name"
          required
          maxLength={200}
          value={name}
          onInput={setName}
          error={problemWith(error, 'name')}
        />
        <ZoneField value={timezone} onChange={setTimezone} />
        {error !== undefined && problemWith(error, 'name') === null && <ErrorNote error={error} />}
        <Button type="submit" kind="primary" busy={busy}>
          Continue
        </Button>
      </form>
    </StandalonePage>
  );
}
