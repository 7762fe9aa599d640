// Real clients:
//
//   node real_clients.mjs CHECKS DESCRIPTOR_SET PORT TLS_PORT CERTIFICATE
//
// The bearer token is in the variable TOKEN. CHECKS is a module that says what each client calls
// and what it must get: checkConnect() for each transport of @connectrpc/connect-node,
// checkGrpcJs() for @grpc/grpc-js. Prints one line a client; exits 1 with what went wrong.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createFileRegistry, create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";

const [checks, descriptorSet, port, tlsPort, certificate] = process.argv.slice(2);
const { checkConnect, checkGrpcJs } = await import(pathToFileURL(checks));
const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(descriptorSet)),
);
const ca = readFileSync(certificate);
const token = process.env.TOKEN;

const clear = "http://127.0.0.1:" + port;
const secure = "https://localhost:" + tlsPort;
const places = [
  ["h1", { baseUrl: clear, httpVersion: "1.1" }],
  ["h2c", { baseUrl: clear, httpVersion: "2" }],
  ["h1 over TLS", { baseUrl: secure, httpVersion: "1.1", nodeOptions: { ca } }],
  ["h2 over TLS", { baseUrl: secure, httpVersion: "2", nodeOptions: { ca } }],
];
const gzip = { sendCompression: compressionGzip, compressMinBytes: 1 };
const protocols = [
  ["Connect proto", (o) => createConnectTransport({ ...o, useBinaryFormat: true })],
  ["Connect JSON", (o) => createConnectTransport({ ...o, useBinaryFormat: false })],
  ["Connect GET", (o) => createConnectTransport({ ...o, useHttpGet: true })],
  ["Connect gzip", (o) => createConnectTransport({ ...o, ...gzip })],
  ["gRPC", (o) => createGrpcTransport(o)],
  ["gRPC gzip", (o) => createGrpcTransport({ ...o, ...gzip })],
  ["gRPC-Web", (o) => createGrpcWebTransport(o)],
];

async function check(name, run) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    console.error(`${name}:`, error);
    process.exitCode = 1;
  }
}

for (const [place, options] of places) {
  for (const [protocol, make] of protocols) {
    const isGrpc = protocol.startsWith("gRPC") && protocol !== "gRPC-Web";
    if (isGrpc && options.httpVersion !== "2") continue;
    await check(`${protocol}, ${place}`, () =>
      checkConnect({ registry, transport: make(options), token, isGrpc }),
    );
  }
}

// A client of @grpc/grpc-js for a service, with the same messages.
function grpcJs(serviceName, address, credentials) {
  const service = registry.getService(serviceName);
  const methods = Object.fromEntries(
    service.methods.map((method) => [
      method.name,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: method.methodKind === "bidi_streaming",
        responseStream: method.methodKind.endsWith("_streaming"),
        requestSerialize: (message) => Buffer.from(toBinary(method.input, message)),
        requestDeserialize: (buffer) => fromBinary(method.input, buffer),
        responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
        responseDeserialize: (buffer) => fromBinary(method.output, buffer),
      },
    ]),
  );
  const Client = grpc.makeGenericClientConstructor(methods, service.typeName);
  const client = new Client(address, credentials, { "grpc.default_compression_algorithm": 2 });
  client.messageOf = (name, fields) =>
    create(service.methods.find((method) => method.name === name).input, fields);
  return client;
}

function callOf(client, method, request, metadata, options = {}) {
  const message = client.messageOf(method, request);
  return new Promise((resolve, reject) => {
    const done = (error, answer) => (error ? reject(error) : resolve(answer));
    client[method](message, metadata, options, done);
  });
}

for (const [name, address, credentials] of [
  ["grpc-js, h2c", `127.0.0.1:${port}`, grpc.credentials.createInsecure()],
  ["grpc-js, TLS", `localhost:${tlsPort}`, grpc.credentials.createSsl(ca)],
]) {
  const clientOf = (serviceName) => grpcJs(serviceName, address, credentials);
  await check(name, () => checkGrpcJs({ registry, clientOf, callOf, token }));
}
process.exit();
