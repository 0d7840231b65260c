import { describe, expect, it } from 'vitest';
import { comparable, domainOf, isDomainName } from './email-domain.ts';

describe('domainOf', () => {
  it.each([
    ['ada@example.org', 'example.org'],
    ['Ada@Example.ORG', 'example.org'],
    ['"a@b"@example.org', 'example.org'],
    ['ada@example.org.evil.com', 'example.org.evil.com'],
    ['ada@ex\u0430mple.org', 'ex\u0430mple.org'],
    ['ada', null],
    ['@example.org', null],
    ['ada@', null],
    ['', null],
  ])('of %s is %s', (email, domain) => expect(domainOf(email)).toBe(domain));

  it('tells look-alikes apart, and not two ways to write a letter', () => {
    expect(domainOf('ada@ex\u0430mple.org')).not.toBe('example.org');
    expect(comparable('Jos\u0065\u0301@Example.org')).toBe('jos\u00e9@example.org');
  });
});

describe('isDomainName', () => {
  it.each(['example.org', 'a.b.example.co', 'xn--bcher-kva.example'])('takes %s', (name) =>
    expect(isDomainName(name)).toBe(true),
  );
  it.each(['example', 'Example.org', '-a.org', 'a..org', 'a.org.', '127.0.0.1', 'a_b.org', '', 'é.org', 'a b.org'])(
    'refuses %j',
    (name) => expect(isDomainName(name)).toBe(false),
  );
});
