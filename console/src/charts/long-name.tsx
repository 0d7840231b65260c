/**
 * A name whose middle is cut out where it does not fit. The end never shrinks; CSS cuts the beginning to the space that
 * there is. `bdi` keeps a name in another script from changing the order of what is beside it.
 */
import { splitName } from './rules/shorten.ts';

export function LongName({ name, tail }: { name: string; tail?: number }) {
  const [head, end] = splitName(name, tail);
  return (
    <bdi class="long-name" title={name}>
      {head !== '' && <span class="long-name-head">{head}</span>}
      <span class="long-name-tail">{end}</span>
    </bdi>
  );
}
