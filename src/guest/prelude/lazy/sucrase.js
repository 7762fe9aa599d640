// Bundled on its own, as text: see types.js.
import { transform } from 'sucrase';

export default function strip(code) {
  return transform(code, {
    transforms: ['typescript'],
    disableESTransforms: true,
    keepUnusedImports: true,
  }).code;
}
