import { useEffect, useRef, useState } from 'preact/hooks';
import { findProperties, type PropertyOwner } from '../api/definitions.ts';
import { findGroupProperties, listCohortNames } from '../api/flag-targets.ts';
import { listGroupTypes } from '../api/groups.ts';
import { describeProperty } from '../lib/descriptions.ts';
import { propertyLabel } from '../lib/friendly-names.ts';
import { recentPicks, rememberPick } from '../lib/recent-picks.ts';
import { useProject } from '../lib/session.ts';
import { findSessionProperties } from '../lib/session-properties.ts';
import { type Target, type TargetType, targetFromText, targetToText } from '../lib/targets.ts';
import { Combobox, type Suggestion } from './combobox.tsx';

interface TargetPickerProps {
  label: string;
  /** What can be picked; a typed name that is not suggested is one of the first. */
  types: readonly TargetType[];
  onPick(target: Target): void;
}

/** A search over properties and cohorts, with those picked last on top. It takes the focus. */
export function TargetPicker({ label, types, onPick }: TargetPickerProps) {
  const { id } = useProject();
  const [text, setText] = useState('');
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector('input')?.focus(), []);
  const commit = (value: string): void => {
    const typed = value.trim();
    if (typed === '') return;
    const target = targetFromText(typed) ?? { type: types[0] === 'person' ? 'person' : 'event', key: typed };
    rememberPick(id, 'properties', targetToText(target));
    onPick(target);
  };
  const suggest = async (part: string, signal: AbortSignal): Promise<Suggestion[]> => {
    // A picked value is on its way to `commit`.
    if (targetFromText(part)) return [];
    const sections = await Promise.all(types.map((type) => SOURCES[type](id, part, signal)));
    const all = sections.flat();
    const recent = part === '' ? recentPicks(id, 'properties') : [];
    const known = recent.flatMap((value) => all.find((one) => one.value === value) ?? []);
    return [...known.map((one) => ({ ...one, section: 'Recent' })), ...all];
  };
  return (
    <div ref={frame}>
      <Combobox
        label={label}
        hideLabel
        placeholder="Search"
        value={text}
        onChange={(next) => targetFromText(next) === null && setText(next)}
        onCommit={commit}
        suggest={suggest}
        inputs={[id, types.join()]}
      />
    </div>
  );
}

type Source = (projectId: number, text: string, signal: AbortSignal) => Promise<Suggestion[]>;

const propertiesOf =
  (owner: PropertyOwner, section: string): Source =>
  async (projectId, text, signal) => {
    const found = await findProperties(projectId, owner, text, signal);
    return found.map(({ name, description }) => {
      const about = describeProperty(name, description);
      return {
        value: targetToText({ type: owner, key: name }),
        label: propertyLabel(name),
        section,
        ...(propertyLabel(name) === name ? {} : { note: name }),
        ...(about === undefined ? {} : { description: about }),
      };
    });
  };

const SOURCES: Record<TargetType, Source> = {
  event: propertiesOf('event', 'Event properties'),
  person: propertiesOf('person', 'Person properties'),
  session: async (_, text) =>
    findSessionProperties(text).map((key) => {
      const about = describeProperty(key);
      return {
        value: targetToText({ type: 'session', key }),
        label: propertyLabel(key),
        section: 'Session properties',
        note: key,
        ...(about === undefined ? {} : { description: about }),
      };
    }),
  group: async (projectId, text, signal) => {
    const types = await listGroupTypes(projectId, signal);
    const found = await Promise.all(
      types.map(async ({ group_type: name, name_singular, group_type_index: groupTypeIndex }) =>
        (await findGroupProperties(projectId, groupTypeIndex, text, signal)).map((key) => ({
          value: targetToText({ type: 'group', key, groupTypeIndex }),
          label: propertyLabel(key),
          section: `Properties of ${name_singular || name}`,
        })),
      ),
    );
    return found.flat();
  },
  cohort: async (projectId, text, signal) => {
    const cohorts = await listCohortNames(projectId, signal);
    return cohorts
      .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
      .map(({ id, name }) => ({ value: targetToText({ type: 'cohort', id }), label: name, section: 'Cohorts' }));
  },
};
