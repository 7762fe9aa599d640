let loaded = 0;

const CODE = {
  compatibilityDate: "2026-01-01",
  mainModule: "guest.js",
  modules: {"guest.js": "export default {fetch() { return new Response(String(6*7)); }};"},
  globalOutbound: null,
};

export default {
  async fetch(request, env) {
    if (!request.url.endsWith("/load")) return new Response(String(6 * 7));
    loaded += 1;
    const worker = env.LOADER.get(`guest-${loaded}`, async () => CODE);
    return await worker.getEntrypoint().fetch(request);
  },
};
