// Made by plimsoll-specgen from 'Types of 3.1'.
declare namespace HostApi {
  type Top = { kind?: "top"; n?: 3; inner?: TopDefsInner; list?: string[] | null; tuple?: unknown[]; never?: never; ever?: unknown; mixed?: unknown; strings?: "a" | null } | null;
  type TopDefsInner = {
    self?: Top;
    again?: TopDefsInner;
  };
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /a/{id} */
    a(id: number | string): Promise<Top>;
  }
}
declare const host: HostApi.Client;
