// What each real client gets of a daemon with grant profiles: a permitted route, a refused one, and
// the refusal of a profile that is for others. FOREIGN_TOKEN is the token of a caller without it.

import assert from "node:assert/strict";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import * as grpc from "@grpc/grpc-js";

const sandbox = "plimsoll.v1.SandboxService";
const foreign = process.env.FOREIGN_TOKEN;
const run = (code) => ({
  protocol: 2,
  payload: { case: "javascript", value: { code, grantProfile: "orders" } },
});
const permitted = run("console.log((await host.get('/v1/orders/7')).path)");
const refused = run(
  "await host.del('/v1/orders/7').catch((e) => console.log(e.status, e.policy))",
);

const stdoutOf = (answer) => Buffer.from(answer.result.value.stdout).toString();

export async function checkConnect({ registry, transport, token }) {
  const client = createClient(registry.getService(sandbox), transport);
  const as = (bearer) => ({ headers: { Authorization: "Bearer " + bearer } });
  assert.equal(stdoutOf(await client.run(permitted, as(token))), "/v1/orders/7\n");
  assert.equal(stdoutOf(await client.run(refused, as(token))), "403 true\n");
  assert.ok((await client.describe({}, as(token))).supportsJavascriptGrants);
  const error = await client.run(permitted, as(foreign)).then(
    () => assert.fail("no error"),
    (thrown) => thrown,
  );
  assert.ok(error instanceof ConnectError, String(error));
  assert.equal(Code[error.code], "PermissionDenied", error.message);
  const details = error.findDetails(registry.getMessage("plimsoll.v1.NotDispatched"));
  assert.deepEqual(details.map((detail) => detail.reason), [2]); // permission
}

export async function checkGrpcJs({ clientOf, callOf, token }) {
  const client = clientOf(sandbox);
  const as = (bearer) => {
    const metadata = new grpc.Metadata();
    metadata.set("authorization", "Bearer " + bearer);
    return metadata;
  };
  assert.equal(stdoutOf(await callOf(client, "Run", permitted, as(token))), "/v1/orders/7\n");
  assert.equal(stdoutOf(await callOf(client, "Run", refused, as(token))), "403 true\n");
  await assert.rejects(callOf(client, "Run", permitted, as(foreign)), {
    code: grpc.status.PERMISSION_DENIED,
  });
}
