/** Code snippets with this server's address and the project API key. */
interface Snippet {
  id: string;
  label: string;
  hint: string;
  code: string;
}

/** Methods that a page may call before the SDK has loaded; the calls are queued. */
const METHODS =
  'capture identify alias group reset register register_once unregister onFeatureFlags isFeatureEnabled ' +
  'getFeatureFlag getFeatureFlagPayload reloadFeatureFlags setPersonProperties opt_in_capturing opt_out_capturing';

const text = (value: string): string => JSON.stringify(value).replaceAll('</', '<\\/');

const browser = (host: string, key: string): string => `<script>
  (function (page, methods) {
    if (page.posthog && page.posthog.__SV) return;
    var posthog = (page.posthog = []);
    posthog._i = [];
    posthog.__SV = 1;
    methods.split(' ').forEach(function (name) {
      posthog[name] = function () {
        posthog.push([name].concat(Array.prototype.slice.call(arguments)));
      };
    });
    posthog.init = function (key, options) {
      posthog._i.push([key, options, 'posthog']);
      var script = document.createElement('script');
      script.async = true;
      script.crossOrigin = 'anonymous';
      script.src = options.api_host + '/static/array.js';
      document.head.appendChild(script);
    };
  })(window, '${METHODS}');
  posthog.init(${text(key)}, { api_host: ${text(host)} });
</script>`;

export const snippetsFor = (host: string, key: string): readonly Snippet[] => [
  {
    id: 'web',
    label: 'HTML snippet',
    hint: 'Add this to the <head> of every page. It loads the SDK from this server and captures pageviews and clicks automatically.',
    code: browser(host, key),
  },
  {
    id: 'script',
    label: 'Small script',
    hint: 'For sites that want no SDK: 1 kB that captures pageviews, time on page, links to other sites and events of your own, and stores nothing in the browser. Feature flags and identified users need the SDK.',
    code: `<script defer src=${text(`${host}/static/cairn.js`)} data-key=${text(key)}></script>

<!-- An event of your own: -->
<button onclick="cairn('signed up', { plan: 'free' })">Sign up</button>`,
  },
  {
    id: 'bundler',
    label: 'JavaScript',
    hint: 'npm install posthog-js',
    code: `import posthog from 'posthog-js';

posthog.init(${text(key)}, { api_host: ${text(host)} });
posthog.capture('signed up', { plan: 'free' });`,
  },
  {
    id: 'node',
    label: 'Node.js',
    hint: 'npm install posthog-node',
    code: `import { PostHog } from 'posthog-node';

const client = new PostHog(${text(key)}, { host: ${text(host)} });
client.capture({ distinctId: 'user-1', event: 'signed up', properties: { plan: 'free' } });
await client.shutdown();`,
  },
  {
    id: 'python',
    label: 'Python',
    hint: 'pip install posthog',
    code: `from posthog import Posthog

client = Posthog(${text(key)}, host=${text(host)})
client.capture("signed up", distinct_id="user-1", properties={"plan": "free"})
client.shutdown()`,
  },
  {
    id: 'curl',
    label: 'API',
    hint: 'Send events from any language over HTTP. A 200 means that the event is saved on disk.',
    code: `curl -X POST ${host}/capture/ -H 'Content-Type: application/json' \\
  -d '{"api_key": ${text(key)}, "event": "signed up", "distinct_id": "user-1"}'`,
  },
];
