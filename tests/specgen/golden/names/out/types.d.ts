// Made by plimsoll-specgen from 'Names'.
declare namespace HostApi {
  interface Client {
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
    /** GET /a/{id} */
    getPet_79802da9(id: string | number | boolean): Promise<unknown>;
    /** GET /b/{id} */
    getPet_e4712036(id: string | number | boolean): Promise<unknown>;
    /** GET /c */
    listPets_24792510(): Promise<unknown>;
    /** POST /c */
    listPets(): Promise<unknown>;
    /** DELETE /d/{id} */
    deleteDById(id: string | number | boolean): Promise<unknown>;
    /** GET /e */
    getE(): Promise<unknown>;
    /** GET /f */
    getF(): Promise<unknown>;
    /** GET /g */
    getG(): Promise<unknown>;
    /** POST /h */
    postH(): Promise<unknown>;
    /** GET /i */
    getI(): Promise<unknown>;
    /** GET /j */
    _3dModels(): Promise<unknown>;
    /** GET /k */
    getK(): Promise<unknown>;
    /** GET /l/{class}/{body}/{query}/{a-b}/{a.b}/{host}/{__proto__}/{$x} */
    argumentsOf(class_: string | number | boolean, body_2: string | number | boolean, query_2: string | number | boolean, aB: string | number | boolean, aB_2: string | number | boolean, host: string | number | boolean, __proto___: string | number | boolean, x: string | number | boolean, body?: unknown): Promise<unknown>;
    /** GET /m */
    same_88532656(): Promise<unknown>;
    /** PUT /m */
    same_ff075cd5(): Promise<unknown>;
    /** GET /n */
    an_operation_whose_id_is_very_long_indeed_much_longer_t_7da09900(): Promise<unknown>;
    /** GET /get */
    getGet(): Promise<unknown>;
    /** GET /o */
    getO(): Promise<unknown>;
    /** GET /p */
    snake_case_name(): Promise<unknown>;
  }
}
declare const host: HostApi.Client;
