// Made by plimsoll-specgen from 'Refs'.
declare namespace HostApi {
  type Name = string;
  type Tree = {
    children: Tree[];
    first?: PropertiesChildrenItems;
  };
  type PropertiesChildrenItems = Tree;
  type Node = { next?: Node } & Other;
  type Other = unknown;
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /trees/{tree} */
    getTree_bd7c9673(tree: Name, query: { depth: number }): Promise<Tree>;
    /** PUT /trees/{tree} */
    putTree_8fee2579(tree: Name, body: Node, query?: { depth?: number }): Promise<null>;
    /** GET /shared/{tree} */
    getTree_3da473e2(tree: Name, query: { depth: number }): Promise<Tree>;
    /** PUT /shared/{tree} */
    putTree_1701a519(tree: Name, body: Node, query?: { depth?: number }): Promise<null>;
  }
}
declare const host: HostApi.Client;
