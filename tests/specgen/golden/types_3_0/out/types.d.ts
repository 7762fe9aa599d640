// Made by plimsoll-specgen from 'Types of 3.0'.
declare namespace HostApi {
  type Names = string[] | null;
  /** Everything. */
  type All = {
    /** A number. With words. */
    id: number;
    kind: Promise_;
    maybe?: string | null;
    one?: Any;
    two?: String;
    map?: AB;
    closed?: AB_2;
    free?: { [key: string]: unknown };
    list?: (string | number)[];
    either?: { x?: string } | AB;
    /** x */
    both?: AB;
    "dashed-name"?: unknown[];
    none?: unknown;
    [key: string]: unknown;
  };
  type Promise_ = "a" | "b";
  type Any = 1 | 2.5 | -3;
  type String = boolean;
  type AB = { [key: string]: number };
  type AB_2 = { [key: string]: never };
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** POST /a */
    a(body?: All, query?: { n?: number | null; list?: NonNullable<Names>[number] | [NonNullable<Names>[number]]; pipes?: number[] }): Promise<All | Promise_[] | string | null>;
  }
}
declare const host: HostApi.Client;
