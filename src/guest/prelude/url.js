// URL and URLSearchParams: whatwg-url, printed and failing as Node's do.
import './encoding.js';
import { URL, URLSearchParams } from 'whatwg-url';
import { inspect_as } from './inspect.js';
import { use_url_class } from './inspect_bindings.js';
import { define_classes } from './primordials.js';

const PARTS = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port',
  'pathname', 'search', 'searchParams', 'hash'];

inspect_as(URL.prototype, function render(depth, options, inspect) {
  if (typeof depth === 'number' && depth < 0) return this;
  const shown = Object.create({ constructor: this.constructor });
  for (const part of PARTS) shown[part] = this[part];
  return `${this.constructor.name} ${inspect(Object.assign({}, shown), options)}`;
});

inspect_as(URLSearchParams.prototype, function render(depth, options, inspect) {
  if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
  const shown = [];
  for (const [name, value] of this) {
    shown.push(`${inspect(name, options)} => ${inspect(value, options)}`);
  }
  if (shown.length === 0) return 'URLSearchParams {}';
  const length = shown.reduce((sum, text) => sum + text.length + 2, -2);
  if (length > options.breakLength || shown.some((text) => text.includes('\n'))) {
    return `URLSearchParams {\n  ${shown.join(',\n  ')} }`;
  }
  return `URLSearchParams { ${shown.join(', ')} }`;
});

use_url_class(URL);
define_classes({ URL, URLSearchParams });
