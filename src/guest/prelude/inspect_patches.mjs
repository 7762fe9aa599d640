// Edits to node-inspect-extracted's bundle at build time. The package is pinned; an edit that does
// not match exactly once stops the build, so a new version cannot be half patched.

// The package's modules by their number in its bundle, replaced by ours.
const BINDINGS = 727; // V8's internalBinding('util')
const TYPES = 499; // internalBinding('types')
const URL_CLASS = 878;

const EDITS = [
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

export function patch_inspect(text, bindings) {
  for (const { why, from, to } of EDITS) {
    if (text.split(from).length !== 2) throw new Error(`inspect patch does not match: ${why}`);
    text = text.replace(from, () => to);
  }
  return `const plimsoll = require(${JSON.stringify(bindings)});\n${text}`;
}
