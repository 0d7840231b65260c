/**
 * For sites that want no SDK: counts page views, how long pages were read, links to other sites, and events of your own.
 * It stores nothing in the browser; the server tells visitors apart within a day (cookieless mode). Minified by the build
 * and served as /static/cairn.js, 2 kB compressed at most.
 *
 *   <script defer src="https://cairn.example.org/static/cairn.js" data-key="phc_…"></script>
 *
 * `data-host`: where to send events, if not to the server of the script. `data-respect-dnt`: sends nothing for visitors
 * whose browser asks not to be tracked.
 */
const script = document.currentScript;
const { key, host = new URL(script.src).origin } = script.dataset;
const asksForPrivacy = navigator.doNotTrack === '1' || navigator.globalPrivacyControl;
const isOff = !key || ('respectDnt' in script.dataset && asksForPrivacy);

/** The page that is shown: its path, and since when. */
let shown = null;

function send(event, properties) {
  if (isOff) return;
  const body = {
    api_key: key,
    event,
    distinct_id: '$posthog_cookieless',
    properties: {
      $cookieless_mode: true,
      $lib: 'js',
      $lib_version: 'cairn',
      $raw_user_agent: navigator.userAgent,
      $timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      $browser_language: navigator.language,
      $current_url: location.href,
      $host: location.host,
      $pathname: location.pathname,
      $screen_width: screen.width,
      $screen_height: screen.height,
      $viewport_width: innerWidth,
      $viewport_height: innerHeight,
      ...properties,
    },
  };
  // As plain text, so that browsers need not ask first; `keepalive` lets it outlive the page.
  fetch(`${host}/capture/`, { method: 'POST', keepalive: true, body: JSON.stringify(body) }).catch(() => {});
}

/** Of the page before, as posthog-js says it. */
const leftPage = () =>
  shown && {
    $prev_pageview_pathname: shown.path,
    $prev_pageview_duration: (Date.now() - shown.since) / 1000,
  };

function hostOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return '$direct';
  }
}

function view() {
  const { pathname: path } = location;
  // Other parameters or another anchor are the same page.
  if (shown && shown.path === path) return;
  // Within the site it is the page before, which browsers do not say where scripts change the address.
  const referrer = shown ? shown.url : document.referrer;
  const properties = {
    title: document.title,
    $referrer: referrer || '$direct',
    $referring_domain: hostOf(referrer),
    ...leftPage(),
  };
  shown = { path, url: location.href, since: Date.now() };
  send('$pageview', properties);
}

function leave() {
  if (shown) send('$pageleave', { $pathname: shown.path, ...leftPage() });
  shown = null;
}

function follow({ target, button }) {
  const link = target.closest?.('a[href]');
  // The second button opens a menu.
  if (link && button < 2 && /^https?:$/.test(link.protocol) && link.host !== location.host) {
    send('outbound link clicked', { $external_click_url: link.href });
  }
}

for (const name of ['pushState', 'replaceState']) {
  const change = history[name];
  history[name] = function (...args) {
    change.apply(this, args);
    view();
  };
}
addEventListener('popstate', view);
addEventListener('pagehide', leave);
// Back from the browser's memory of pages.
addEventListener('pageshow', (event) => event.persisted && view());
addEventListener('click', follow, true);
addEventListener('auxclick', follow, true);

/** cairn('signed up', { plan: 'pro' }); calls from before the script was there wait in `cairn.q`. */
const waiting = window.cairn?.q || [];
window.cairn = (event, properties) => send(event, properties);
if (document.prerendering) document.addEventListener('prerenderingchange', view, { once: true });
else view();
for (const args of waiting) window.cairn(...args);
