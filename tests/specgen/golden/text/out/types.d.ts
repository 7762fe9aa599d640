// Made by plimsoll-specgen from 'Text * / 'x' $ {y} ' / end'.
declare namespace HostApi {
  /** '* /' */
  type X = string;
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /a/{id} * /x=1/ * 'back' $ {tick} [31m 'q' 'p' / First sentence. * / Second. */
    getX1(id: "*\/" | "`" | "${x}" | "\u2028" | "\"" | "\\" | "'", query?: { "it's[a]"?: "a'b" }): Promise<{ "*\/"?: string; __proto__?: string; "a\nb"?: "*\/"; "quo\"te"?: X }>;
  }
}
declare const host: HostApi.Client;
