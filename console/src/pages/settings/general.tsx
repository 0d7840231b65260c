import { useState } from 'preact/hooks';
import { Checkbox, TextField } from '../../components/field.tsx';
import { Banner } from '../../components/states.tsx';
import { ZoneField } from '../../components/zone-field.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { Section } from './section.tsx';
import type { SettingsProps } from './settings-props.ts';

export function General({ project, onSaved }: SettingsProps) {
  const [name, setName] = useState(project.name);
  const [timezone, setTimezone] = useState(project.timezone);
  const isSame = name === project.name && timezone === project.timezone;
  return (
    <Section title="General" changes={isSame ? null : { name, timezone }} onSaved={onSaved}>
      <TextField label="Project name" value={name} onInput={setName} required maxLength={200} />
      <ZoneField value={timezone} onChange={setTimezone} />
    </Section>
  );
}

/** Null keeps events forever. */
export function readDays(text: string): number | null | 'invalid' {
  if (text.trim() === '') return null;
  const days = Number(text);
  return Number.isInteger(days) && days >= 1 && days <= 36_500 ? days : 'invalid';
}

export function Privacy({ project, onSaved }: SettingsProps) {
  const [text, setText] = useState(project.events_retention_days?.toString() ?? '');
  const [anonymize, setAnonymize] = useState(project.anonymize_ips);
  const days = readDays(text);
  const isSame = days === project.events_retention_days && anonymize === project.anonymize_ips;
  const current = project.events_retention_days;
  const isShorter = typeof days === 'number' && (current === null || days < current);
  return (
    <Section
      title="Data retention and privacy"
      changes={isSame || days === 'invalid' ? null : { events_retention_days: days, anonymize_ips: anonymize }}
      onSaved={onSaved}
    >
      <TextField
        label="Delete events after (days)"
        hint="Leave empty to keep events forever. Persons and their properties are always kept."
        type="number"
        min={1}
        max={36_500}
        value={text}
        onInput={setText}
        error={days === 'invalid' ? 'Enter a whole number from 1 to 36500, or leave it empty.' : null}
      />
      {isShorter && (
        <Banner tone="warn">
          Events older than {pluralize(days, 'day')} will be permanently deleted within an hour.
        </Banner>
      )}
      <Checkbox label="Discard client IP addresses" checked={anonymize} onChange={setAnonymize} />
    </Section>
  );
}

export function Webhook({ project, onSaved }: SettingsProps) {
  const [url, setUrl] = useState(project.slack_incoming_webhook ?? '');
  const next = url.trim() === '' ? null : url.trim();
  return (
    <Section
      title="Webhook"
      lead="Receives a message for every event that has webhook notifications turned on under Definitions. Works with Slack and anything that accepts the same format."
      changes={next === project.slack_incoming_webhook ? null : { slack_incoming_webhook: next }}
      onSaved={onSaved}
    >
      <TextField
        label="Webhook URL"
        type="url"
        placeholder="https://hooks.example.org/…"
        value={url}
        onInput={setUrl}
        spellcheck={false}
      />
    </Section>
  );
}
