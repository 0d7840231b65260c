import { useState } from 'preact/hooks';
import { Checkbox, TextField } from '../../components/field.tsx';
import { Banner } from '../../components/states.tsx';
import { ZoneField } from '../../components/zone-field.tsx';
import { countOf } from '../../lib/format.ts';
import { Section } from './section.tsx';
import type { SettingsProps } from './settings-page.tsx';

export function General({ project, onSaved }: SettingsProps) {
  const [name, setName] = useState(project.name);
  const [timezone, setTimezone] = useState(project.timezone);
  const isSame = name === project.name && timezone === project.timezone;
  return (
    <Section title="Name and time zone" changes={isSame ? null : { name, timezone }} onSaved={onSaved}>
      <TextField label="Name" value={name} onInput={setName} required maxLength={200} />
      <ZoneField value={timezone} onChange={setTimezone} />
    </Section>
  );
}

/** Null is for ever; anything that is no whole number of days is a mistake. */
export function readDays(text: string): number | null | 'mistake' {
  if (text.trim() === '') return null;
  const days = Number(text);
  return Number.isInteger(days) && days >= 1 && days <= 36_500 ? days : 'mistake';
}

export function Privacy({ project, onSaved }: SettingsProps) {
  const [text, setText] = useState(project.events_retention_days?.toString() ?? '');
  const [anonymize, setAnonymize] = useState(project.anonymize_ips);
  const days = readDays(text);
  const isSame = days === project.events_retention_days && anonymize === project.anonymize_ips;
  const kept = project.events_retention_days;
  const isShorter = typeof days === 'number' && (kept === null || days < kept);
  return (
    <Section
      title="Retention and privacy"
      changes={isSame || days === 'mistake' ? null : { events_retention_days: days, anonymize_ips: anonymize }}
      onSaved={onSaved}
    >
      <TextField
        label="Keep events for so many days"
        hint="Empty: for ever. Persons and their properties stay."
        type="number"
        min={1}
        max={36_500}
        value={text}
        onInput={setText}
        error={days === 'mistake' ? 'A whole number of days from 1 to 36500, or nothing.' : null}
      />
      {isShorter && (
        <Banner tone="warn">
          Events that are older than {countOf(days, 'day')} will be removed for good within the hour.
        </Banner>
      )}
      <Checkbox label="Do not keep IP addresses of those who send events" checked={anonymize} onChange={setAnonymize} />
    </Section>
  );
}

export function Webhook({ project, onSaved }: SettingsProps) {
  const [url, setUrl] = useState(project.slack_incoming_webhook ?? '');
  const next = url.trim() === '' ? null : url.trim();
  return (
    <Section
      title="Webhook"
      lead="Where Cairn tells of events that are marked for it under Definitions, in the form that Slack reads, and whatever reads the same."
      changes={next === project.slack_incoming_webhook ? null : { slack_incoming_webhook: next }}
      onSaved={onSaved}
    >
      <TextField
        label="Address"
        type="url"
        placeholder="https://hooks.example.org/…"
        value={url}
        onInput={setUrl}
        spellcheck={false}
      />
    </Section>
  );
}
