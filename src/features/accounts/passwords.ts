import { invalid } from '../../core/errors.ts';

const MIN_PASSWORD_LENGTH = 8;

export function checkedPassword(password: string): string {
  if (password.length >= MIN_PASSWORD_LENGTH) return password;
  throw invalid(
    'password',
    `This password is too short. It must contain at least ${MIN_PASSWORD_LENGTH} characters.`,
    'password_too_short',
  );
}
