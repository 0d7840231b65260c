/** The licence of the country data asks for it. */
export const Attribution = () => (
  <p class="small muted">
    Country data:{' '}
    <a href="https://www.nro.net/" rel="noreferrer">
      Number Resource Organization
    </a>
    ,{' '}
    <a href="https://creativecommons.org/licenses/by/4.0/" rel="noreferrer">
      CC BY 4.0
    </a>
    , changed: merged and packed. Map: Natural Earth.
  </p>
);
