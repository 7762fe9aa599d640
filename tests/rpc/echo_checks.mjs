// What each real client calls of the echo server, and what it must get: every byte value, refusals,
// failures with details, deadlines, cancels.

import assert from "node:assert/strict";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import * as grpc from "@grpc/grpc-js";

const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
const large = Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251);
const sameBytes = (a, b) => assert.equal(Buffer.compare(a, b), 0);
const serviceName = "plimsoll.test.v1.EchoService";

export async function checkConnect({ registry, transport, token }) {
  const client = createClient(registry.getService(serviceName), transport);
  const detailSchema = registry.getMessage("plimsoll.test.v1.Detail");
  const options = { headers: { Authorization: "Bearer " + token } };

  const asked = { data: bytes, text: "ü\u0000\u2028", number: -(2n ** 63n) };
  const small = await client.describe(asked, options);
  sameBytes(small.data, bytes);
  assert.equal(small.text, "ü\u0000\u2028");
  assert.equal(small.number, -(2n ** 63n));
  assert.equal(small.caller, "tester");
  const big = await client.echo({ data: large }, options);
  sameBytes(big.data, large);
  const empty = await client.echo({}, options);
  assert.equal(empty.data.length, 0);

  const fails = async (request, callOptions, code) => {
    try {
      await client.echo(request, callOptions);
    } catch (error) {
      assert.ok(error instanceof ConnectError, String(error));
      assert.equal(Code[error.code], Code[code], error.message);
      return error;
    }
    assert.fail("no error");
  };
  const refused = await fails({}, {}, Code.Unauthenticated);
  assert.equal(refused.findDetails(detailSchema)[0].reason, "caller");
  for (let code = 1; code <= 16; code++) {
    const error = await fails({ failCode: code, failMessage: "100% ü\n" }, options, code);
    assert.equal(error.rawMessage, "100% ü\n");
    assert.deepEqual(error.findDetails(detailSchema).map((d) => d.reason), ["first", "second"]);
  }
  const began = Date.now();
  await fails({ sleepMs: 60_000 }, { ...options, timeoutMs: 200 }, Code.DeadlineExceeded);
  assert.ok(Date.now() - began < 5_000);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  await fails({ sleepMs: 60_000 }, { ...options, signal: stop.signal }, Code.Canceled);
  await fails({ data: new Uint8Array(9_000_000) }, options, Code.ResourceExhausted);
}

export async function checkGrpcJs({ clientOf, callOf, token }) {
  const client = clientOf(serviceName);
  const call = (request, metadata, options) => callOf(client, "Echo", request, metadata, options);
  const metadata = new grpc.Metadata();
  metadata.set("authorization", "Bearer " + token);
  sameBytes((await call({ data: bytes }, metadata)).data, bytes);
  sameBytes((await call({ data: large }, metadata)).data, large);
  await assert.rejects(call({}, new grpc.Metadata()), { code: grpc.status.UNAUTHENTICATED });
  await assert.rejects(call({ failCode: 9, failMessage: "ü" }, metadata), {
    code: grpc.status.FAILED_PRECONDITION,
    details: "ü",
  });
  await assert.rejects(call({ sleepMs: 60_000 }, metadata, { deadline: Date.now() + 200 }), {
    code: grpc.status.DEADLINE_EXCEEDED,
  });
  const many = await Promise.all(
    Array.from({ length: 200 }, (_, i) => call({ number: BigInt(i) }, metadata)),
  );
  many.forEach((answer, i) => assert.equal(answer.number, BigInt(i)));
  client.close();
}
