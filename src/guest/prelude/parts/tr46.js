// Bundled on its own, as text: see idna.js.
import tr46 from 'tr46';

export default tr46;
