// usage: node build.mjs OUTFILE
// Bundles the prelude into one classic script whose completion value is the internals object, and
// writes the licences of what it bundles to OUTFILE.LEGAL.txt. Packages come from deps/npm.
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patch_inspect, patch_url } from './patches.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.PLIMSOLL_NODE_MODULES ??
  resolve(here, '../../../deps/npm/node_modules');
const require = createRequire(join(modules, 'x.js'));
const esbuild = require('esbuild');

const common = {
  absWorkingDir: here,
  bundle: true,
  format: 'cjs',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2023',
  charset: 'ascii', // a string with one wide character takes two bytes for each in the engine
  minifyWhitespace: true,
  minifySyntax: true, // names stay: a guest can see the names of functions
  legalComments: 'none', // the licence files are collected whole: see licences_of()
  metafile: true,
  nodePaths: [modules],
  write: false,
  logLevel: 'warning',
};

// A classic script whose value is the module's default export.
const value_of = {
  banner: { js: '(function(){"use strict";var module={exports:{}},exports=module.exports;' },
  footer: { js: 'return module.exports.default})()' },
};

const inspect_plugin = {
  name: 'inspect',
  setup(build) {
    build.onLoad({ filter: /node-inspect-extracted[\\/]dist[\\/]inspect\.js$/ }, ({ path }) => ({
      contents: patch_inspect(readFileSync(path, 'utf8'), join(here, 'inspect_bindings.js')),
      loader: 'js',
    }));
  },
};

// whatwg-url's own errors, and a stand-in for its Unicode tables: see idna.js.
const url_plugin = {
  name: 'url',
  setup(build) {
    build.onResolve({ filter: /^tr46$/ }, ({ importer }) =>
      importer.includes('whatwg-url') ? { path: join(here, 'idna.js') } : undefined);
    build.onLoad({ filter: /whatwg-url[\\/]lib[\\/]URL-impl\.js$/ }, ({ path }) => ({
      contents: patch_url(readFileSync(path, 'utf8'), join(here, 'errors.js')), loader: 'js',
    }));
  },
};

// `import text from 'lazy:./x.js'`: the bundle of x.js as a string, to be compiled on first use.
// `import value from 'small:./x.js'`: its default export, with every identifier made short, which
// the snapshot feels: for code whose names no guest can see.
const parts_plugin = {
  name: 'parts',
  setup(build) {
    build.onResolve({ filter: /^(lazy|small):/ }, ({ path, resolveDir }) => {
      const [namespace, file] = path.split(':');
      // Relative: it is a name in the bundle, which is the same wherever it was built.
      return { path: relative(here, resolve(resolveDir, file)), namespace };
    });
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, async ({ path }) =>
      ({ contents: await part(path, value_of), loader: 'text' }));
    build.onLoad({ filter: /.*/, namespace: 'small' }, async ({ path }) =>
      ({ contents: await part(path, { format: 'esm' }), loader: 'js' }));
  },
};

async function part(path, options) {
  const built = await esbuild.build({
    ...common, ...options, entryPoints: [resolve(here, path)], outfile: 'part.js', minifyIdentifiers: true,
  });
  add_packages(built);
  return text_of(built);
}

// The folders of the packages that went into the output.
const packages = new Set();
function add_packages(built) {
  for (const input of Object.keys(built.metafile.inputs)) {
    const folder = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input);
    if (folder) packages.add(folder[1]);
  }
}

function licence_of(name) {
  const folder = join(modules, name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? `License: ${license}`
    : readFileSync(join(folder, file), 'utf8');
  return `${name} ${version}\n${'-'.repeat(72)}\n${text.trim()}\n`;
}

const text_of = (built) => built.outputFiles.find((file) => file.path.endsWith('.js')).text;

const outfile = resolve(process.argv[2] ?? 'prelude.js');
const built = await esbuild.build({
  ...common, ...value_of, entryPoints: ['main.js'], outfile,
  plugins: [inspect_plugin, url_plugin, parts_plugin],
});
add_packages(built);
mkdirSync(dirname(outfile), { recursive: true });
writeFileSync(outfile, text_of(built));
writeFileSync(`${outfile}.LEGAL.txt`, [...packages].sort().map(licence_of).join('\n'));
