import { ApiError } from '../../api/api-error.ts';
import { TextField } from '../../components/field.tsx';

interface CredentialProps {
  hint: string;
  value: string;
  onInput(value: string): void;
}

/** A code of an authenticator app, or a recovery code. */
export const CodeField = (props: CredentialProps) => (
  <TextField label="Code" autocomplete="one-time-code" required maxLength={40} {...props} />
);

/** `error`: why it was refused. */
export const NewPasswordField = (props: CredentialProps & { label: string; error: string | null }) => (
  <TextField type="password" required minLength={8} autocomplete="new-password" {...props} />
);

/** What the server says about the password; null if the error is about something else. */
export const passwordErrorOf = (error: unknown): string | null =>
  error instanceof ApiError && error.attr === 'password' ? error.message : null;
