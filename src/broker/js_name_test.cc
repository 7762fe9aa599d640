#include "broker/js_name.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll {
namespace {

TEST(ClientName, Accepted) {
  for (const std::string_view name :
       {"host", "api", "$", "_", "a1", "orders_api", "Host", "HOST", "promise", "$$x"}) {
    EXPECT_TRUE(is_client_name(name)) << name;
  }
  EXPECT_TRUE(is_client_name(std::string(kMaxGlobalBytes, 'a')));
}

TEST(ClientName, WhatIsNoIdentifierOrTakesSomethingAway) {
  for (const std::string_view name :
       {"",          "1a",          "a-b",        "a b",    "a.b",       "a\n",
        "a\\u0062",  "h\xC3\xB6st", "await",      "class",  "let",       "null",
        "arguments", "eval",        "Promise",    "JSON",   "console",   "process",
        "require",   "module",      "globalThis", "global", "undefined", "NaN",
        "__proto__", "constructor", "toString",   "fetch",  "Object",    "setTimeout",
        "then",      "prototype",   "WebAssembly"}) {
    EXPECT_FALSE(is_client_name(name)) << name;
  }
  EXPECT_FALSE(is_client_name(std::string(kMaxGlobalBytes + 1, 'a')));
  EXPECT_FALSE(is_client_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace plimsoll
