// runner.mjs, for who copies these files into an image. images/build has one file made of all of them in
// this one's place, which comes up faster: each file is a walk to the host and back under gVisor.
'use strict';

import('./runner.mjs');
