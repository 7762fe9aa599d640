// Made by plimsoll-specgen from 'Skipped'.
declare namespace HostApi {
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /optional */
    m(): Promise<unknown>;
    /** POST /maybe_form */
    o(): Promise<unknown>;
    /** GET /less */
    r(query?: { ok?: string | number | boolean }): Promise<unknown>;
    /** GET /kept */
    t(): Promise<unknown>;
  }
}
declare const host: HostApi.Client;
