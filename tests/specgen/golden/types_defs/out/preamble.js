// Made by plimsoll-specgen from 'Definitions': the routes of the allow list, as methods.
const { call: $call } = host;
const $fail = (route, name, why) => {
  throw new TypeError(`${route}: ${name} ${why}`);
};
const $text = (route, name, value) => {
  const type = typeof value;
  if (value === undefined || value === null) $fail(route, name, 'is missing');
  if (type !== 'string' && type !== 'number' && type !== 'boolean' && type !== 'bigint') {
    $fail(route, name, 'is neither a string nor a number nor a boolean');
  }
  return String(value);
};
const $segment = (route, name, value) => {
  const text = $text(route, name, value);
  if (!/^[A-Za-z0-9\-._~!$&'()*+,=:@]+$/.test(text) || /^\.+$/.test(text)) {
    const shown = JSON.stringify(text.slice(0, 80));
    $fail(route, name, `cannot be sent as a part of a path: ${shown}; ` +
      `letters, digits and -._~!$&'()*+,=:@ are accepted, and not dots alone`);
  }
  return text;
};
const $encode = (route, name, text) => {
  let encoded;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    $fail(route, name, 'is no well-formed text');
  }
  return encoded.replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
};
const $value = (route, name, value, join) => {
  if (join === 'json') value = JSON.stringify(value);
  if (Array.isArray(value)) {
    if (join === undefined && value.length !== 1) {
      $fail(route, name, 'takes one value: a grant admits a query parameter once');
    }
    value = value.map((one) => $text(route, name, one)).join(join);
  }
  const encoded = $encode(route, name, $text(route, name, value));
  const size = encoded.replace(/%../g, '-').length;
  if (size < 1 || size > 256) $fail(route, name, `has ${size} bytes; 1 to 256 are accepted`);
  return encoded;
};
const $query = (route, query, known) => {
  if (query === undefined || query === null) return '';
  if (typeof query !== 'object' || Array.isArray(query)) {
    $fail(route, 'query', 'is no object of query parameters');
  }
  const names = known.map((one) => Array.isArray(one) ? one[0] : one);
  for (const name of Object.keys(query)) {
    if (names.includes(name)) continue;
    $fail(route, name, `is no query parameter; there are: ${names.join(', ')}`);
  }
  const parts = [];
  known.forEach((one, at) => {
    const name = names[at];
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    if (value === undefined || value === null) return;
    const join = Array.isArray(one) ? one[1] : undefined;
    parts.push(`${$encode(route, name, name)}=${$value(route, name, value, join)}`);
  });
  return parts.length === 0 ? '' : '?' + parts.join('&');
};
const $send = async (method, path, values, query, known, body, needed) => {
  const route = `${method} ${path}`;
  const names = Object.keys(values);
  let at = 0;
  const filled = path.replace(/\*/g, () => $segment(route, names[at], values[names[at++]]));
  const target = filled + $query(route, query, known ?? []);
  if (target.length > 8192) $fail(route, 'the target', 'has more than 8192 bytes');
  if (needed && body === undefined) $fail(route, 'body', 'is missing');
  return $call(method, target, body);
};
host.getTree = () => $send("GET", "/trees", {});
host.putLeaf = (body) => $send("PUT", "/trees", {}, undefined, undefined, body, true);
