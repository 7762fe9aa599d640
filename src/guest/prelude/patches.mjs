// Edits to bundled packages at build time. The packages are pinned; an edit that does not match
// as often as it should stops the build, so a new version cannot be half patched.

// The package's modules by their number in its bundle, replaced by ours.
const BINDINGS = 727; // V8's internalBinding('util')
const TYPES = 499; // internalBinding('types')
const URL_CLASS = 878;

const INSPECT_EDITS = [
  {
    why: 'ours instead of guesses about V8',
    from: 'const e={};return function n(r)',
    to: `t[${BINDINGS}]=t=>{t.exports=plimsoll.util_binding};` +
      `t[${TYPES}]=t=>{t.exports=plimsoll.types};` +
      `t[${URL_CLASS}]=t=>{t.exports=plimsoll.url_class()};` +
      'const e={};return function n(r)',
  },
  {
    why: 'the engine has no Atomics',
    from: '["Atomics","JSON",',
    to: '["JSON",',
  },
  {
    why: 'console formats without spreading its arguments',
    from: 'formatWithOptions:function',
    to: 'format_list:Nr,formatWithOptions:function',
  },
  {
    why: 'Node 22 prints symbol keys in brackets',
    from: 's=t.stylize(e,"symbol")}else s=',
    to: 's=`[${t.stylize(e,"symbol")}]`;if(!1===i.enumerable)return`${s}:${a}${c}`}else s=',
  },
  {
    why: 'Node 22 prints the message of what a getter threw',
    from: 'const l=`<Inspection threw (${nr(t,i,n)})>`',
    to: 'const l=`<Inspection threw (${i.message})>`',
  },
  {
    why: 'Node 22 prints a proxy as its target',
    from: 'if(0!==s)for(let e=0;e<s;e++)u=',
    to: 'if(false)for(let e=0;e<s;e++)u=',
  },
  {
    why: 'Node 22 prints a revoked proxy as such',
    from: 'for(let n=0;n<s;n++)e=`${t.stylize("Proxy(","special")}',
    to: 'for(let n=0;n<0;n++)e=`${t.stylize("Proxy(","special")}',
  },
  {
    why: 'a guest may have replaced Array.prototype.includes',
    from: 't.seen.includes(e)',
    to: 'plimsoll.array_includes(t.seen,e)',
  },
  {
    why: 'or push',
    from: 't.seen.push(e)',
    to: 'plimsoll.array_push(t.seen,e)',
    times: 2,
  },
  {
    why: 'or pop',
    from: 't.seen.pop()',
    to: 'plimsoll.array_pop(t.seen)',
    times: 3,
  },
  {
    why: 'the classes of the prelude have no source text',
    from: 'const o=H(e);',
    to: 'const o=plimsoll.function_source(e);',
  },
  {
    why: 'iterators cannot be looked into here',
    from: 'const{0:o,1:i}=ze(n,!0);',
    to: 'if(ze===undefined)return xr(e);const{0:o,1:i}=ze(n,!0);',
  },
  {
    why: 'nor can weak sets',
    from: 'function Ar(t,e,n){',
    to: 'function Ar(t,e,n){if(ze===undefined)return xr(t);',
  },
  {
    why: 'nor can weak maps',
    from: 'function vr(t,e,n){',
    to: 'function vr(t,e,n){if(ze===undefined)return xr(t);',
  },
];

const URL_EDITS = [
  {
    why: "Node's error for a bad base",
    from: 'throw new TypeError(`Invalid base URL: ${base}`);',
    to: 'throw plimsoll.invalid_url(url, base);',
  },
  {
    why: "Node's error for a bad URL in the constructor",
    from: '    if (parsedURL === null) {\n      throw new TypeError(`Invalid URL: ${url}`);',
    to: '    if (parsedURL === null) {\n      throw plimsoll.invalid_url(url, base);',
  },
];

function edited(text, edits, helpers) {
  for (const { why, from, to, times = 1 } of edits) {
    if (text.split(from).length !== times + 1) throw new Error(`patch does not match: ${why}`);
    text = text.replaceAll(from, () => to);
  }
  return `const plimsoll = require(${JSON.stringify(helpers)});\n${text}`;
}

export const patch_inspect = (text, helpers) => edited(text, INSPECT_EDITS, helpers);
export const patch_url = (text, helpers) => edited(text, URL_EDITS, helpers);
