// What each real client calls of plimsolld, and what it must get: every byte value out of a run,
// typed refusals, the description, health and reflection.

import assert from "node:assert/strict";
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import * as grpc from "@grpc/grpc-js";

const sandbox = "plimsoll.v1.SandboxService";
const health = "grpc.health.v1.Health";
const reflection = "grpc.reflection.v1.ServerReflection";
const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);
const code = "process.stdout.write(Uint8Array.from({ length: 256 }, (_, i) => i))";
const run = (more = {}) => ({
  protocol: 2,
  payload: { case: "javascript", value: { code } },
  ...more,
});
const SERVING = 1;

function isRight(answer) {
  assert.equal(answer.result.case, "javascript");
  assert.equal(Buffer.compare(answer.result.value.stdout, everyByte), 0);
  assert.equal(answer.result.value.exitCode, 0);
  assert.equal(answer.isolation, "process");
  assert.equal(answer.evidence.tier, "process");
  assert.match(answer.record.recordSha256, /^[0-9a-f]{64}$/);
}

// Each refusal: what is asked with which token, the code, the reason's number.
const refusals = (token) => [
  [run({ minimumIsolation: "vm" }), token, Code.FailedPrecondition, "ISOLATION"],
  [run(), "0".repeat(64), Code.Unauthenticated, "PERMISSION"],
  [run(), undefined, Code.Unauthenticated, "PERMISSION"],
  [{}, token, Code.InvalidArgument, "REQUEST"], // no bytes at all
  [run({ protocol: 9 }), token, Code.Unimplemented, "PROTOCOL"],
];

function reasonName(registry, number) {
  const reasons = registry.getEnum("plimsoll.v1.NotDispatchedReason");
  return reasons.values.find((value) => value.number === number).name.replace(/^.*_REASON_/, "");
}

// Two questions, the second after the first answer.
function* questions() {
  yield { messageRequest: { case: "listServices", value: "*" } };
  yield { messageRequest: { case: "fileContainingSymbol", value: sandbox + ".Run" } };
}

function isReflected(answers) {
  const [list, file] = answers.map((answer) => answer.messageResponse);
  const names = list.value.service.map((service) => service.name);
  for (const name of [sandbox, health, reflection]) assert.ok(names.includes(name), String(names));
  assert.equal(file.case, "fileDescriptorResponse", String(file.value.errorMessage));
  const text = Buffer.concat(file.value.fileDescriptorProto).toString("latin1");
  assert.ok(text.includes("SandboxService"));
  assert.ok(!text.includes("EchoService"));
}

export async function checkConnect({ registry, transport, token, isGrpc }) {
  const client = createClient(registry.getService(sandbox), transport);
  const detailSchema = registry.getMessage("plimsoll.v1.NotDispatched");
  const as = (bearer) => ({ headers: bearer ? { Authorization: "Bearer " + bearer } : {} });

  isRight(await client.run(run({ minimumIsolation: "process" }), as(token)));
  for (const [message, bearer, expected, reason] of refusals(token)) {
    const error = await client.run(message, as(bearer)).then(
      () => assert.fail("no error"),
      (thrown) => thrown,
    );
    assert.ok(error instanceof ConnectError, String(error));
    assert.equal(Code[error.code], Code[expected], error.message);
    const details = error.findDetails(detailSchema);
    assert.deepEqual(details.map((detail) => reasonName(registry, detail.reason)), [reason]);
  }
  const described = await client.describe({}, as(token)); // by GET where the transport does
  assert.deepEqual([described.protocol, described.sandbox], [2, "wasm"]);

  const stop = new AbortController();
  const endless = run({ payload: { case: "javascript", value: { code: "for (;;);" } } });
  setTimeout(() => stop.abort(), 50);
  await assert.rejects(client.run(endless, { ...as(token), signal: stop.signal }), {
    code: Code.Canceled,
  });
  // The client's timeout bounds the run as well: either end of the wire may see it first.
  const late = await client.run(endless, { ...as(token), timeoutMs: 100 }).catch((error) => error);
  if (late instanceof ConnectError) assert.equal(Code[late.code], "DeadlineExceeded", late.message);
  else assert.ok(late.result.value.timedOut);

  const probe = createClient(registry.getService(health), transport);
  for (const service of ["", sandbox]) {
    assert.equal((await probe.check({ service })).status, SERVING);
  }
  await assert.rejects(probe.check({ service: "nothing" }), { code: Code.NotFound });
  if (!isGrpc) return; // reflection is a stream of both sides, which gRPC alone has here
  const answers = [];
  const mirror = createClient(registry.getService(reflection), transport);
  async function* asked() {
    for (const question of questions()) {
      yield question;
    }
  }
  for await (const answer of mirror.serverReflectionInfo(asked(), as(token))) answers.push(answer);
  isReflected(answers);
}

export async function checkGrpcJs({ registry, clientOf, callOf, token }) {
  const client = clientOf(sandbox);
  const as = (bearer) => {
    const metadata = new grpc.Metadata();
    if (bearer) metadata.set("authorization", "Bearer " + bearer);
    return metadata;
  };
  isRight(await callOf(client, "Run", run({ minimumIsolation: "process" }), as(token)));
  for (const [message, bearer, expected, reason] of refusals(token)) {
    const error = await callOf(client, "Run", message, as(bearer)).then(
      () => assert.fail("no error"),
      (thrown) => thrown,
    );
    assert.equal(error.code, expected, String(error)); // Connect's codes are gRPC's
    const [bytes] = error.metadata.get("grpc-status-details-bin");
    const status = fromBinary(registry.getMessage("google.rpc.Status"), bytes);
    assert.equal(status.code, expected);
    const details = status.details.filter((any) => any.typeUrl.endsWith(".NotDispatched"));
    const [detail] = details.map((any) =>
      fromBinary(registry.getMessage("plimsoll.v1.NotDispatched"), any.value),
    );
    assert.equal(reasonName(registry, detail.reason), reason);
  }
  const described = await callOf(client, "Describe", {}, as(token));
  assert.deepEqual([described.protocol, described.sandbox], [2, "wasm"]);
  const many = await Promise.all(
    Array.from({ length: 60 }, () => callOf(client, "Run", run(), as(token))),
  );
  many.forEach(isRight);

  const probe = clientOf(health);
  const answer = await callOf(probe, "Check", { service: sandbox }, as());
  assert.equal(answer.status, SERVING);
  await assert.rejects(callOf(probe, "Check", { service: "nothing" }, as()), {
    code: grpc.status.NOT_FOUND,
  });

  const mirror = clientOf(reflection);
  const stream = mirror.ServerReflectionInfo(as(token));
  const answers = [];
  const asked = questions();
  stream.write(mirror.messageOf("ServerReflectionInfo", asked.next().value));
  await new Promise((resolve, reject) => {
    stream.on("data", (reflected) => {
      answers.push(reflected);
      const { value, done } = asked.next();
      if (done) stream.end();
      else stream.write(mirror.messageOf("ServerReflectionInfo", value));
    });
    stream.on("error", reject);
    stream.on("end", resolve);
  });
  isReflected(answers);
  for (const each of [client, probe, mirror]) each.close();
}
