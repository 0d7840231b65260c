import { invalid } from '../../core/errors.ts';

const MIN_PASSWORD = 8;

export function checkedPassword(password: string): string {
  if (password.length >= MIN_PASSWORD) return password;
  throw invalid(
    'password',
    `This password is too short. It must contain at least ${MIN_PASSWORD} characters.`,
    'password_too_short',
  );
}
