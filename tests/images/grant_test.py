#!/usr/bin/env python3
"""The client of a granted API in the processes of a run, and the runner that carries its calls."""

import json
import struct
import unittest

import channel
from channel import Limits
from runner_case import RunnerTest


def echo(method, target, body):
    if target == "/missing":
        return 404, 0, "application/problem+json", b'{"title": "none"}'
    if target == "/text":
        return 200, 0, "text/plain", "é".encode()
    if target == "/never":
        return 403, 1, "text/plain", b"policy"
    if target == "/empty":
        return 204, 0, "", b""
    content = {"method": method, "target": target, "body": (body or b"").decode("latin1"), "n": body is None}
    return 200, 0, "application/json", json.dumps(content).encode()


class GrantTest(RunnerTest):
    def expect(self, code, stdout, api=echo, grant=("host", ""), **limits):
        end = self.run_code(code, Limits(grant=grant, **limits), api)
        self.assertEqual((end.stdout, end.stderr, end.exit_code), (stdout, b"", 0))

    def test_every_verb_reaches_the_host_and_comes_back(self):
        code = """for (const verb of ['get', 'put', 'post', 'patch', 'del']) {
            const a = await host[verb]('/a?b=%20', verb === 'get' || verb === 'del' ? undefined : { v: 1 });
            console.log(a.method, a.target, a.body, a.n); }"""
        expected = "".join(f"{verb} /a?b=%20 {body} {none}\n" for verb, body, none in (
            ("GET", "", "true"), ("PUT", '{"v":1}', "false"), ("POST", '{"v":1}', "false"),
            ("PATCH", '{"v":1}', "false"), ("DELETE", "", "true")))
        self.expect(code, expected.encode())

    def test_errors_say_who_refused(self):
        self.expect("""for (const path of ['/missing', '/never']) try { await host.get(path) } catch (e) {
            console.log(e.status, e.policy, JSON.stringify(e.body), e.message) }
            console.log(await host.get('/text'), await host.get('/empty'),
              (await host.raw('GET', '/missing')).status)""",
                    b'404 false {"title":"none"} GET /missing answered 404\n'
                    b'403 true "policy" GET /never was refused (403): policy\n'
                    b"\xc3\xa9 null 404\n")

    def test_bytes_pass_as_they_are(self):
        self.expect("const a = await host.put('/x', new Uint8Array([0, 255, 128]));"
                    "console.log([...a.body].map((c) => c.charCodeAt(0)).join())", b"0,255,128\n")

    def test_the_preamble_is_the_operators(self):
        self.expect("console.log(await api.orders(), typeof secret)", b"/orders undefined\n",
                    grant=("api", "const secret = 1; api.orders = async () => (await api.get('/orders')).target"))

    def test_no_more_than_sixteen_are_under_way(self):
        guest = self.guest()
        waiting, most = [], 0

        def late(method, target, body):
            nonlocal most
            waiting.append(echo(method, target, body))
            most = max(most, len(waiting))

        original = guest.answer

        def answer(payload, api):
            original(payload, api)
            numbers.append(struct.unpack("<I", payload[:4])[0])
            if len(waiting) == 16 or len(guest.calls) == 100:
                while waiting:
                    status, refused, kind, content = waiting.pop()
                    guest.send(channel.REPLY, struct.pack("<IHBxII", numbers.pop(), status, refused,
                                                          len(kind), len(content)) + kind.encode() + content)
        numbers = []
        guest.answer = answer
        end = guest.run("""const all = await Promise.all(Array.from({ length: 100 },
            (_, i) => host.get('/' + i)));
            console.log(all.every((a, i) => a.target === '/' + i))""",
                        Limits(grant=("host", "")), late)
        self.assertEqual((end.stdout, len(guest.calls), most), (b"true\n", 100, 16))

    def test_a_large_answer_and_a_large_body_pass(self):
        self.expect("const a = await host.raw('POST', '/', 'y'.repeat(1 << 20)); console.log(a.body.length)",
                    b"4194304\n",
                    lambda _, __, body: (200, 0, "text/plain", b"x" * (len(body) * 4)))

    def test_a_call_without_an_answer_ends_with_the_deadline(self):
        end = self.run_code("await host.get('/')", Limits(grant=("host", ""), timeout=1), lambda *_: None)
        self.assertEqual(end.cause, channel.TIMED_OUT)

    def test_without_a_grant_there_is_no_client(self):
        end = self.run_code("console.log(typeof host, process.env.PLIMSOLL_GRANT)")
        self.assertEqual(end.stdout, b"undefined undefined\n")

    def test_each_process_of_a_step_may_call(self):
        steps = ["node -e 'host.get(`/a`).then((a) => console.log(a.target))' &"
                 "node -e 'host.get(`/b`).then((a) => console.log(a.target))' & wait", "node c.mjs"]
        guest = self.guest()
        result = guest.project([("c.mjs", "console.log((await host.get('/c')).target)")], steps,
                               limits=Limits(grant=("host", "")), api=echo)
        self.assertEqual([sorted(step.stdout.split()) for step in result.steps], [[b"/a", b"/b"], [b"/c"]])

    def test_what_is_no_call_costs_the_process_its_connection(self):
        self.expect("""const net = require('net'), fs = require('fs');
            const { socket } = JSON.parse(fs.readFileSync(process.env.PLIMSOLL_GRANT, 'utf8'));
            const c = net.connect(socket, () => c.write(Buffer.from([255, 255, 255, 255, 21, 0, 0, 0])));
            c.on('close', async () => console.log('closed', (await host.get('/x')).target))""",
                    b"closed /x\n")


if __name__ == "__main__":
    unittest.main()
