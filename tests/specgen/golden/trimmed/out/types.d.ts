// Made by plimsoll-specgen from 'Many'.
declare namespace ApiApi {
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /orders/0/{id} Returns one of the orders of kind 0. Then there is more to say about it. */
    get_orders_0(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/2/{id} Returns one of the orders of kind 2. Then there is more to say about it. */
    get_orders_2(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/3/{id} Returns one of the orders of kind 3. Then there is more to say about it. */
    get_orders_3(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/4/{id} Returns one of the orders of kind 4. Then there is more to say about it. */
    get_orders_4(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/5/{id} Returns one of the orders of kind 5. Then there is more to say about it. */
    get_orders_5(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/6/{id} Returns one of the orders of kind 6. Then there is more to say about it. */
    get_orders_6(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/7/{id} Returns one of the orders of kind 7. Then there is more to say about it. */
    get_orders_7(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/8/{id} Returns one of the orders of kind 8. Then there is more to say about it. */
    get_orders_8(id: string | number | boolean): Promise<unknown>;
    /** GET /orders/9/{id} Returns one of the orders of kind 9. Then there is more to say about it. */
    get_orders_9(id: string | number | boolean): Promise<unknown>;
    /** GET /users/1/{id} Returns one of the users of kind 1. Then there is more to say about it. */
    get_users_1(id: string | number | boolean): Promise<unknown>;
  }
}
declare const api: ApiApi.Client;
