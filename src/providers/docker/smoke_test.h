// Whether the lock-down and the limits really hold on this engine, with this runtime and these
// images: throwaway containers attack their own walls.
#pragma once

#include "plimsoll/evidence.h"
#include "plimsoll/result.h"
#include "providers/docker/container_yard.h"
#include "providers/docker/engine_api.h"
#include "providers/docker/preflight.h"

namespace plimsoll::docker {

// For each image:
//   a look around           only /tmp, /work and /dev/shm can be written to, of every mount point;
//                           their sizes are right, the smallest one ends there; nothing in them can
//                           be executed; no network; the user; a bounded number of processes; a
// call
//                           of a granted API comes back
//   twice the memory        is out of memory
//   an endless loop         ends at its deadline, and the container with it
// What the kernel shows of these containers is the evidence. Errors: kNotReady, naming the image,
// the wall and what happened instead.
[[nodiscard]] Result<IsolationEvidence> run_smoke_test(EngineApi& engine, ContainerYard& yard,
                                                       const Preflight& flight);

}  // namespace plimsoll::docker
