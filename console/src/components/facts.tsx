import './facts.css';
import { type ComponentChildren, Fragment } from 'preact';

export type Fact = [name: string, value: ComponentChildren];

export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
);
