#!/usr/bin/env python3
"""Each check finds what is planted for it, and nothing in a tree that is in order."""

import importlib
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tree  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "// What it is.\n#pragma once\n\n"
CLEAN = {
    "include/plimsoll/result.h": HEADER + "namespace plimsoll {\n\n// An error.\nstruct Error {\n  int code;\n};\n\n}\n",
    "src/base/fd.h": HEADER + '#include "plimsoll/result.h"\n',
    "src/base/fd.cc": '#include "base/fd.h"\n#include <vector>\n',
    "src/core/floor.cc": '#include "base/fd.h"\n#include "plimsoll/result.h"\n',
    "src/guest/frame.h": HEADER + '#include "core/floor.h"\n',
    "src/providers/provider.h": HEADER + '#include "core/floor.h"\n',
    "src/providers/wasm/pool.cc": '#include "guest/frame.h"\n#include "providers/wasm/pool.h"\n#include "providers/provider.h"\n',
    "src/engine/slot.cc": '#include "engine/slot.h"\n#include "qjs.h"\n#include "wasm-rt.h"\n',
    "src/worker/main.cc": '#include "engine/slot.h"\n#include "guest/frame.h"\n',
    "apps/plimsoll/main.cc": '#include "plimsoll/sandbox.h"\n#include "run.h"\n',
    "apps/plimsoll/run.h": HEADER,
    "docs/a.md": "# What `a` is\nSee [the RFC](https:" "//www.rfc-editor.org/rfc/rfc9110), [b](b.md#no-1-of-2),\n"
    "[src](../src), [here](#what-a-is) and `[no](link.md)`.\n",
    "docs/b.md": "# B\n\n## No. 1 of 2\n\n```sh\n[no](link.md)\n```\n",
    "src/base/url_test.cc": '#include "base/fd.h"\nauto u = "https://api.example.com:8443/v1" "https://a.b/?c" "http://a"; // TODO(#12): more\n',
    "docs/dependencies.md": "| `g++` | 12 | GPL |\n| `esbuild` | 1.2.3 | MIT |\n",
    "deps/packages.txt": "# Build\ng++  # why\n",
    "deps/npm/package.json": '{"dependencies": {"esbuild": "1.2.3"}}\n',
    "deps/npm/package-lock.json": '{"packages": {"a": {"integrity": "sha512-x"}}}\n',
}


class Planted(unittest.TestCase):
    def findings(self, check, extra=None, *more):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, content in {**CLEAN, **(extra or {})}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            return importlib.import_module(check).check(root, *more)

    def finds(self, check, name, content, part=""):
        found = self.findings(check, {name: content})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(name + ":"), found)
        self.assertIn(part, found[0])

    def test_a_tree_in_order_has_no_findings(self):
        for check in ("layers", "length", "unfinished", "headers", "hosts", "paths", "dependencies",
                      "environment", "links"):
            self.assertEqual(self.findings(check), [], check)

    def test_layers(self):
        for name, include in {
            "src/base/x.cc": "core/y.h",
            "src/base/x2.cc": "plimsoll/sandbox.h",
            "src/core/x.cc": "guest/frame.h",
            "src/guest/x.cc": "broker/y.h",
            "src/broker/x.cc": "grants/y.h",
            "src/grants/x.cc": "auth/y.h",
            "src/guest/x2.cc": "providers/provider.h",
            "src/providers/wasm/x.cc": "providers/docker/y.h",
            "src/providers/wasm/x2.cc": "engine/slot.h",
            "src/sandbox/x.cc": "service/run.h",
            "src/rpc/x.cc": "providers/provider.h",
            "src/engine/x.cc": "base/fd.h",
            "src/engine/x2.cc": "guest/frame.h",
            "src/worker/x.cc": "providers/provider.h",
            "include/plimsoll/x.h": "core/y.h",
            "apps/plimsoll/x.cc": "worker/y.h",
            "apps/plimsoll/x2.cc": "missing.h",
            "examples/minimal/main.cc": "core/y.h",
            "src/core/x3.cc": "local.h",
            "src/core/x4.cc": "qjs.h",
        }.items():
            with self.subTest(name=name, include=include):
                self.finds("layers", name, f'#include "{include}"\n', include)
        self.finds("layers", "src/helpers/x.cc", "", "in no layer")
        for include in ("<plimsoll/v1/run.pb.h>", "<google/protobuf/message.h>"):
            for name in ("src/core/x.cc", "src/service/x.h", "include/plimsoll/x.h"):
                self.finds("layers", name, HEADER + f"#include {include}\n", "protobuf outside")
            self.assertEqual(self.findings("layers", {"src/rpc/x.cc": f"#include {include}\n"}), [])

    def test_protos(self):
        good = 'syntax = "proto3";\n\npackage a.v1;\n\n// A.\nmessage A {\n  // B.\n  int32 b = 1;\n}\n'
        settings = {"proto/buf.yaml": (ROOT / "proto" / "buf.yaml").read_text()}
        for content, part in {
            good: None,
            good.replace("int32 b", "int32 bC"): "lower_snake_case",
            good.replace("  // B.\n", ""): "comment",
            good.replace("a.v1", "b.v1"): "directory",
            good.replace("int32 b", "int33 b"): "int33",
            good.replace("  int32", " int32"): "as buf formats",
        }.items():
            found = self.findings("protos", settings | {"proto/a/v1/a.proto": content})
            self.assertEqual(bool(found), part is not None, found)
            self.assertIn(part or "", "".join(found))

    def test_length(self):
        self.finds("length", "src/core/long.cc", "\n" * 701)
        self.assertEqual(self.findings("length", {"src/core/table.cc": "// A table.\n" + "\n" * 701}), [])

        self.finds("length", "src/core/wide.cc", "// " + "漢" * 98 + "\n", "101 columns")
        self.assertEqual(self.findings("length", {"src/core/wide.cc": 'f("' + "x" * 98 + '");\n'}), [])

    def test_unfinished(self):
        for mark in ("TODO", "TODO(me)", "FIXME", "TODO(12)"):
            self.finds("unfinished", "src/core/x.cc", f"int a;  // {mark}: later\n")

    def test_headers(self):
        self.finds("headers", "src/core/x.h", "#pragma once\n", "without a comment")
        self.finds("headers", "src/core/x.h", "// X.\nint a;\n", "#pragma once")
        for declaration in (
            "struct A {\n  int a;\n};",
            "int f(int a,\n      int b);",
            "inline constexpr int kA = 1;",
            "template <class T>\nusing R = T;",
            "// Not adjacent.\n\nenum class E {\n  kA,\n};",
            "class A {\n public:\n  // A comment inside.\n  int f() { return 1; }\n};",
        ):
            with self.subTest(declaration=declaration):
                content = HEADER + "namespace plimsoll {\n\nclass Forward;\n\n" + declaration + "\n\n}\n"
                self.finds("headers", "include/plimsoll/x.h", content, "no comment above")

    def test_hosts(self):
        for host in ("registry.npmjs.org", "example.com.evil.net", "10.0.0.1", "user@evil.net"):
            self.finds("hosts", "src/core/x.cc", f'auto a = "https://{host}/x";\n', host)
        for image in ("http:" + "//www.w3.org/2000/svgs", "http:" + "//evil.net/2000/svg"):
            self.finds("hosts", "docs/x.svg", f'<image href="{image}"/>', "2000/svg")
        lock = '{"packages": {"a": {"resolved": "https://r.example.net/a.tgz"}}}\n'
        self.finds("hosts", "deps/npm/package-lock.json", lock, "registry")

    def test_paths(self):
        for path in ("/home/ann/x", "/Users/ann/x", "/root/x", "/work/x"):
            self.finds("paths", "src/core/x.cc", f"// see {path}\n")

    def test_environment(self):
        for name, code in {
            "src/core/x.cc": 'auto a = std::getenv("HOME");\n',
            "src/base/main.cc": "char** e = environ;\n",
            "apps/plimsoll/x.cc": 'secure_getenv("A");\n',
        }.items():
            self.finds("environment", name, code, "only a program's main.cc")
        clean = {"apps/plimsoll/main.cc": 'getenv("A");\n', "src/core/y.cc": '// getenv\nauto a = "environ";\n'}
        self.assertEqual(self.findings("environment", clean), [])

    def test_links(self):
        for link in ("[x](gone.md)", "[x](../gone.md)", "[x](a.md#gone)", "[x](#gone)", "[x](/src)",
                     "[x](../../out.md)", "![x](gone.png)", "[[x]](gone.md)", "[x]: gone.md"):
            with self.subTest(link=link):
                self.finds("links", "docs/x.md", f"# X\n{link}\n")

    def test_dependencies(self):
        page = "docs/dependencies.md"
        for rows, part in {
            "| `g++` | 12 | GPL |\n": "esbuild has no row",
            "| `esbuild` | 1.2.3 | MIT |\n": "g++ has no row",
            CLEAN[page].replace("1.2.3", "1.2.4"): "esbuild is 1.2.4 here",
            CLEAN[page] + "| `gone` | 1 | MIT |\n": "gone is no dependency",
        }.items():
            self.finds("dependencies", page, rows, part)

    def test_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            commands = pathlib.Path(folder) / "compile_commands.json"
            commands.write_text(json.dumps([]))
            found = self.findings("listed", None, commands)
        self.assertEqual(len(found), sum(name.endswith(".cc") for name in CLEAN))

    def test_literals_and_comments_are_blanked_and_lines_kept(self):
        source = 'a("x\\"y"); // b\n/* c\n d */ R"js(gets(")js" e; int n = 1\'000; #include <a>\n\'"\' f "g"\n'
        bare = tree.without_comments_and_strings(source)
        self.assertEqual(len(bare), len(source))
        self.assertEqual(bare.count("\n"), source.count("\n"))
        for gone in ("x", "y", "b", "c\n", "gets", "g\""):
            self.assertNotIn(gone, bare)
        for kept in ("a(", " e;", "1'000", "f"):
            self.assertIn(kept, bare)


unittest.main()
