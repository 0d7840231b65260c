import { Combobox, type Suggestion } from './combobox.tsx';

const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

const suggest = async (text: string): Promise<Suggestion[]> => {
  const part = text.trim().toLowerCase().replaceAll(' ', '_');
  const matches = zones().filter((zone) => zone.toLowerCase().includes(part));
  return matches.slice(0, 60).map((value) => ({ value }));
};

export function ZoneField({ value, onChange }: { value: string; onChange(zone: string): void }) {
  return (
    <Combobox
      label="Time zone"
      hint="Charts and dates use this time zone."
      value={value}
      onChange={onChange}
      suggest={suggest}
    />
  );
}
