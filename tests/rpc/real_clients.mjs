// Real clients against the echo server: node real_clients.mjs DESCRIPTOR_SET PORT TLS_PORT CERTIFICATE
//
// Each client calls with every byte value, is refused, fails with details, and meets a deadline. Prints one
// line a check; exits 1 with what went wrong.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createFileRegistry, create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";

const [descriptorSet, port, tlsPort, certificate] = process.argv.slice(2);
const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(descriptorSet)),
);
const service = registry.getService("plimsoll.test.v1.EchoService");
const detailSchema = registry.getMessage("plimsoll.test.v1.Detail");
const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
const large = Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251);
const sameBytes = (a, b) => assert.equal(Buffer.compare(a, b), 0);
const ca = readFileSync(certificate);
const token = { Authorization: "Bearer test-token" };

const clear = "http://127.0.0.1:" + port;
const secure = "https://localhost:" + tlsPort;
const places = [
  ["h1", { baseUrl: clear, httpVersion: "1.1" }],
  ["h2c", { baseUrl: clear, httpVersion: "2" }],
  ["h1 over TLS", { baseUrl: secure, httpVersion: "1.1", nodeOptions: { ca } }],
  ["h2 over TLS", { baseUrl: secure, httpVersion: "2", nodeOptions: { ca } }],
];
const protocols = [
  ["Connect proto", (o) => createConnectTransport({ ...o, useBinaryFormat: true })],
  ["Connect JSON", (o) => createConnectTransport({ ...o, useBinaryFormat: false })],
  ["Connect GET", (o) => createConnectTransport({ ...o, useHttpGet: true })],
  ["Connect gzip", (o) => createConnectTransport({ ...o, sendCompression: compressionGzip, compressMinBytes: 1 })],
  ["gRPC", (o) => createGrpcTransport(o)],
  ["gRPC gzip", (o) => createGrpcTransport({ ...o, sendCompression: compressionGzip, compressMinBytes: 1 })],
  ["gRPC-Web", (o) => createGrpcWebTransport(o)],
];

async function check(name, transport) {
  const client = createClient(service, transport);
  const options = { headers: token };

  const small = await client.describe({ data: bytes, text: "ü\u0000\u2028", number: -(2n ** 63n) }, options);
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
  console.log(`ok ${name}`);
}

for (const [place, options] of places) {
  for (const [protocol, make] of protocols) {
    if (protocol.startsWith("gRPC") && protocol !== "gRPC-Web" && options.httpVersion !== "2") continue;
    await check(`${protocol}, ${place}`, make(options)).catch((error) => {
      console.error(`${protocol}, ${place}:`, error);
      process.exitCode = 1;
    });
  }
}

// @grpc/grpc-js, with the same messages.
function grpcJs(address, credentials) {
  const methods = Object.fromEntries(
    service.methods.map((method) => [
      method.name,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: (message) => Buffer.from(toBinary(method.input, message)),
        requestDeserialize: (buffer) => fromBinary(method.input, buffer),
        responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
        responseDeserialize: (buffer) => fromBinary(method.output, buffer),
      },
    ]),
  );
  const Client = grpc.makeGenericClientConstructor(methods, service.typeName);
  return new Client(address, credentials, { "grpc.default_compression_algorithm": 2 });
}

async function checkGrpcJs(name, client) {
  const call = (request, metadata, options = {}) =>
    new Promise((resolve, reject) => {
      const message = create(service.method.echo.input, request);
      client.Echo(message, metadata, options, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  const metadata = new grpc.Metadata();
  metadata.set("authorization", "Bearer test-token");
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
  console.log(`ok ${name}`);
}

await checkGrpcJs("grpc-js, h2c", grpcJs(`127.0.0.1:${port}`, grpc.credentials.createInsecure()));
await checkGrpcJs("grpc-js, TLS", grpcJs(`localhost:${tlsPort}`, grpc.credentials.createSsl(ca)));
process.exit();
