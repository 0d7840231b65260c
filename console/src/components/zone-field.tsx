import { Combobox, type Suggestion } from './combobox.tsx';

const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

const suggest = async (text: string): Promise<Suggestion[]> => {
  const part = text.trim().toLowerCase().replaceAll(' ', '_');
  const fitting = zones().filter((zone) => zone.toLowerCase().includes(part));
  return fitting.slice(0, 60).map((value) => ({ value }));
};

/** The zone in which days begin and moments are shown. */
export function ZoneField({ value, onChange }: { value: string; onChange(zone: string): void }) {
  return (
    <Combobox
      label="Time zone"
      hint="Days, weeks and months of every chart begin at midnight there."
      value={value}
      onChange={onChange}
      suggest={suggest}
    />
  );
}
