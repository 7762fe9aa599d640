# A worker that loads a new worker for each request, by the binding of the dynamic worker loader.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "main", worker = .outer) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);

const outer :Workerd.Worker = (
  modules = [ (name = "outer.mjs", esModule = embed "workerd_outer.mjs") ],
  compatibilityDate = "2026-01-01",
  bindings = [ (name = "LOADER", workerLoader = (id = "loader")) ],
);
