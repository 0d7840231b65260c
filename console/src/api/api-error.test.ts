import { describe, expect, it } from 'vitest';
import { ApiError, messageOf } from './api-error.ts';

describe('messageOf', () => {
  const about = (attr: string | null, message: string) => messageOf(new ApiError(message, { status: 400, attr }));

  it('names the field that a message is about', () => {
    expect(about('current_password', 'This field is required.')).toBe('Current password: This field is required.');
    expect(about('filters__groups', 'This field may not be null.')).toBe('Groups: This field may not be null.');
  });

  it('keeps messages that say it themselves', () => {
    expect(about('csv', 'csv is a file.')).toBe('csv is a file.');
    expect(about(null, 'This is not allowed.')).toBe('This is not allowed.');
    expect(messageOf('text')).toBe('text');
  });
});
