// Stands in for the package tr46 in whatwg-url. An ASCII host without punycode needs no table (URL
// standard, "domain to ASCII", and UTS #46 maps ASCII only to lower case); the tables, a quarter of
// a megabyte, are kept as text until a host needs them.
import source from 'lazy:./parts/tr46.js';

const evaluate = globalThis.eval;
const plain = /^[\x00-\x7f]*$/;
const punycode = /(?:^|\.)xn--/i;
let tr46;

export function toASCII(domain, options) {
  if (plain.test(domain) && !punycode.test(domain) && !options.verifyDNSLength) {
    return domain.toLowerCase();
  }
  tr46 ??= evaluate(source);
  return tr46.toASCII(domain, options);
}

export function toUnicode(domain, options) {
  tr46 ??= evaluate(source);
  return tr46.toUnicode(domain, options);
}
