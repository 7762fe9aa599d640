// One project by @connectrpc/connect-node:  node project_client.mjs DESCRIPTOR_SET BASE_URL CERTIFICATE
//
// The bearer token is in the variable TOKEN. Prints what the library made of the answer, as JSON.

import { readFileSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";

const [descriptorSet, baseUrl, certificate] = process.argv.slice(2);
const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(descriptorSet)),
);
const client = createClient(
  registry.getService("plimsoll.v1.SandboxService"),
  createConnectTransport({
    baseUrl,
    httpVersion: "1.1",
    nodeOptions: { ca: readFileSync(certificate) },
  }),
);
const project = {
  files: [
    {
      path: "src/sum.ts",
      content: "export const sum = (a: number, b: number): number => a + b;\n",
    },
    {
      path: "src/main.ts",
      content:
        "import fs from 'node:fs';\nimport { sum } from './sum.ts';\n" +
        "fs.writeFileSync('out.bin', Uint8Array.from({ length: 256 }, (_, i) => i));\n" +
        "console.log(sum(40, 2));\n",
    },
  ],
  steps: ["node src/main.ts", "echo broken >&2; exit 3", "echo never"],
  artifacts: ["out.bin", "missing"],
};
const answer = await client.run(
  { protocol: 2, minimumIsolation: "kernel", payload: { case: "project", value: project } },
  { headers: { Authorization: `Bearer ${process.env.TOKEN}` } },
);
const text = (bytes) => Buffer.from(bytes).toString();
const { steps, outcome, artifacts } = answer.result.value;
console.log(
  JSON.stringify({
    kind: answer.result.case,
    isolation: answer.isolation,
    environment: answer.environment,
    record: answer.record.recordSha256,
    outcome,
    steps: steps.map((step) => [step.exitCode, text(step.stdout), text(step.stderr)]),
    artifacts: artifacts.map((one) => [one.path, Buffer.from(one.content).toString("hex"), one.sha256]),
  }),
);
