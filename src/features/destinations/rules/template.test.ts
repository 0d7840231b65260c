import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json/json.ts';
import { checkTemplate, renderTemplate } from './template.ts';

const values = {
  event: { event: 'paid', properties: { amount: 12.5, 'a b': 'x', list: [1], big: 12345678901234567890n as never } },
  person: { id: 'p', properties: {} },
  project: { id: 1, name: 'Shop' },
};

describe('a template', () => {
  it.each<[Json, Json]>([
    ['{event.event}', 'paid'],
    ['{event.properties.amount}', 12.5],
    ['{ event.properties.amount }', 12.5],
    ['{event.properties["a b"]}', 'x'],
    ["{event.properties['a b']}", 'x'],
    ['{event.properties.list}', [1]],
    ['{event.properties.none.deeper}', null],
    ['{event.properties.__proto__}', null],
    ['{event.properties.constructor}', null],
    ['a {event.event} b {event.properties.list} c {person.none}', 'a paid b [1] c '],
    ['{event.properties.big}', 12345678901234567890n as never],
    ['n={event.properties.big}', 'n=12345678901234567890'],
    ['\\{event.event}', '{event.event}'],
    [{ '{event.event}': ['{project.id}', 7, null, true] }, { paid: [1, 7, null, true] }],
  ])('%j becomes %j', (template, expected) => {
    checkTemplate(template, 'inputs');
    expect(renderTemplate(template, values)).toEqual(expected);
  });

  it.each(['{}', '{inputs.url}', '{event}.{x}', '{fetch()}', '{1 + 1}', '{event.a b}', '{event.}', '{constructor}'])(
    '%s is refused',
    (template) => {
      expect(() => checkTemplate({ deep: [template] }, 'inputs')).toThrow(/cannot be filled in/);
    },
  );

  it('either is refused or can be filled in, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: fc.constantFrom(...'{}\\.[]\'"event$ ') }), (json, text) => {
        const template = { json, text } as Json;
        try {
          checkTemplate(template, 'inputs');
        } catch {
          return;
        }
        expect(JSON.stringify(renderTemplate(template, values))).toEqual(expect.any(String));
      }),
    );
  });
});
