// Made by plimsoll-specgen from 'Definitions'.
declare namespace HostApi {
  type Tree = TreeDefsLeaf | Tree[];
  type TreeDefsLeaf = {
    kind: "leaf";
    colour?: "NO" | "on" | null;
    vein?: LeafDefsVein;
  };
  type LeafDefsVein = number | null;
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /trees */
    getTree(): Promise<Tree>;
    /** PUT /trees */
    putLeaf(body: TreeDefsLeaf): Promise<null>;
  }
}
declare const host: HostApi.Client;
