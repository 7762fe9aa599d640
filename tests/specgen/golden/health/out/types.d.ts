// Made by plimsoll-specgen from 'Health'.
declare namespace HostApi {
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /health */
    health(): Promise<unknown>;
    /** GET /other */
    other(): Promise<unknown>;
  }
}
declare const host: HostApi.Client;
