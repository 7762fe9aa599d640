// Bundled on its own, with short names: see types.js.
import { transform } from 'sucrase';

const OPTIONS = { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: true };

export default (code) => transform(code, OPTIONS).code;
