// Made by plimsoll-specgen from 'Orders'.
declare namespace HostApi {
  type Order = NewOrder & { id: string; status: "open" | "paid" | "sent" };
  type NewOrder = {
    items: Item[];
    /** Printed on the parcel. */
    note?: string | null;
  };
  type Item = {
    sku: string;
    count: number;
  };
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /health Whether the shop is open */
    health(): Promise<null>;
    /** GET /orders The orders, newest first */
    listOrders(query?: { status?: "open" | "paid" | "sent"; limit?: number }): Promise<Order[]>;
    /** POST /orders Places an order */
    createOrder(body: NewOrder): Promise<Order>;
    /** GET /orders/{orderId} One order */
    getOrder(orderId: string): Promise<Order>;
    /** DELETE /orders/{orderId} Cancels an order that is not sent yet */
    cancelOrder(orderId: string): Promise<null>;
  }
}
declare const host: HostApi.Client;
