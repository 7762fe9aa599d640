// The generated client in the engine that runs it, against a stub of the broker: what is called is
// what the allow list permits.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "broker/allow_list.h"
#include "providers/jailed/worker_factory.h"
#include "providers/wasm/worker_fixture.h"
#include "specgen/generator.h"
#include "tests/specgen/documents.h"
#include "tests/specgen/recording_calls.h"
#include "tests/specgen/sample_call.h"

namespace plimsoll::specgen {
namespace {

constexpr guest::RunHeader kHeader{.timeout_us = 60'000'000,
                                   .output_cap = 65'536,
                                   .flood_bytes = 1 << 20,
                                   .memory_bytes = std::uint64_t{64} << 20};

class Client : public ::testing::Test {
 protected:
  jailed::RunReport run(RecordingCalls& calls, const std::string& preamble, const std::string& code,
                        const std::string& global = "host") {
    return worker_.run(kHeader,
                       {.code = code, .global = global, .preamble = preamble, .calls = &calls}, {},
                       std::chrono::milliseconds{30'000});
  }

  // The preamble of `document`; fails without one.
  std::string preamble_of(std::string_view document, const GenerateOptions& options = {}) {
    Diagnostics diagnostics;
    auto generator = Generator::read(document, options, diagnostics);
    EXPECT_TRUE(generator) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
    if (!generator) return {};
    std::ostringstream out;
    generator->emit(Artifact::kPreamble, out);
    return out.str();
  }

  // Every method, called with sample arguments.
  void expect_methods_and_routes_are_the_same(Generator& generator, const std::string& name) {
    std::ostringstream preamble;
    generator.emit(Artifact::kPreamble, preamble);
    std::string code;
    for (const Operation& operation : generator.api().operations) {
      code += sample_call(operation, "host");
    }
    RecordingCalls calls;
    const jailed::RunReport report = run(calls, preamble.str(), code + "console.log('all');");
    EXPECT_EQ(report.stdout_bytes, "all\n") << name << ": " << report.stderr_bytes;
    const std::vector<Operation>& operations = generator.api().operations;
    ASSERT_EQ(calls.asked.size(), operations.size()) << name;

    const std::vector<Route> routes = routes_of(generator.api(), Which::kSelected);
    std::set<std::string> called;
    // In parts, since a grant bounds a list.
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const Operation& operation = operations[i];
      const auto own = std::ranges::find_if(routes, [&](const Route& route) {
        return route.method == operation.method && route.path == operation.route;
      });
      ASSERT_NE(own, routes.end()) << name << " " << operation.name;
      std::vector<std::string> mistakes;
      const AllowList list = AllowList::parse("allow", {own->text()}, mistakes);
      ASSERT_TRUE(mistakes.empty()) << mistakes.front();
      EXPECT_NE(list.match(calls.asked[i].method, calls.asked[i].target), nullptr)
          << name << " " << own->text() << " does not permit " << calls.asked[i].target;
      EXPECT_EQ(calls.asked[i].body.has_value(), operation.body.has_value()) << operation.name;
      called.insert(own->text());
    }
    EXPECT_EQ(called.size(), routes.size()) << name << ": a route has no method";
  }

  jailed::WorkerFactory factory_{wasm::worker_program(), "", 64};
  jailed::WorkerProcess worker_ = *factory_.make();
};

TEST_F(Client, OfEveryDocumentSendsExactlyTheRoutesOfItsAllowList) {
  PLIMSOLL_NEED_DOCUMENTS();
  for (const auto& path : all_documents()) {
    const std::string bytes = content_of(path);
    Diagnostics diagnostics;
    auto generator = Generator::read(bytes, {}, diagnostics);
    if (path.filename().string().find("unsupported") != std::string::npos) {
      EXPECT_FALSE(generator);
      continue;
    }
    ASSERT_TRUE(generator) << path << ": " << to_text(diagnostics.all().front());
    expect_methods_and_routes_are_the_same(*generator, path.filename());
  }
}

// The fuzzer looks at the shape of the code; here the engine reads it.
TEST_F(Client, OfEverySeedOfTheFuzzerIsCode) {
  const std::filesystem::path folder = PLIMSOLL_SOURCE_DIR "/fuzz/corpus/specgen_emit";
  std::size_t clients = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    Diagnostics diagnostics;
    auto generator = Generator::read(content_of(entry.path()), {}, diagnostics);
    if (!generator) continue;
    ++clients;
    expect_methods_and_routes_are_the_same(*generator, entry.path().filename());
  }
  EXPECT_GT(clients, 15U);
}

constexpr std::string_view kOrders = R"(
openapi: 3.1.0
info: {title: "A */ `${b}` \u2028 title", version: "1"}
servers: [{url: https://api.example.com/v1}]
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - {name: status, in: query, schema: {type: string}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: tag, in: query, schema: {type: array, items: {type: string}}}
        - {name: 'filter[by]', in: query, content: {application/json: {schema: {type: object}}}}
    post:
      operationId: createOrder
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
  /orders/{id}:
    get: {operationId: getOrder}
)";

TEST_F(Client, EncodesAQueryAsTheBrokerWantsIt) {
  RecordingCalls calls;
  const auto report = run(calls, preamble_of(kOrders), R"(
    await host.listOrders();
    await host.listOrders({});
    await host.listOrders({status: undefined, ids: null});
    await host.listOrders({status: "a b/é'()*!~", ids: ['x', 2, true], tag: ['one']});
    await host.listOrders({'filter[by]': {a: "b"}, tag: 'one'});
    console.log(await host.getOrder(7));)");
  EXPECT_EQ(report.stdout_bytes, "{ ok: true }\n") << report.stderr_bytes;
  ASSERT_EQ(calls.asked.size(), 6U);
  EXPECT_EQ(calls.asked[0].target, "/v1/orders");
  EXPECT_EQ(calls.asked[1].target, "/v1/orders");
  EXPECT_EQ(calls.asked[2].target, "/v1/orders");
  EXPECT_EQ(calls.asked[3].target,
            "/v1/orders?status=a%20b%2F%C3%A9%27%28%29%2A%21~&ids=x%2C2%2Ctrue&tag=one");
  EXPECT_EQ(calls.asked[4].target, "/v1/orders?tag=one&filter%5Bby%5D=%7B%22a%22%3A%22b%22%7D");
  EXPECT_EQ(calls.asked[5].target, "/v1/orders/7");
}

TEST_F(Client, RefusesWithAReasonWhatTheBrokerWouldRefuse) {
  RecordingCalls calls;
  const auto report = run(calls, preamble_of(kOrders), R"(
    const refused = [
      () => host.getOrder(), () => host.getOrder(''), () => host.getOrder('a/b'),
      () => host.getOrder('..'), () => host.getOrder('a b'), () => host.getOrder('a%2Fb'),
      () => host.getOrder('é'), () => host.getOrder('a;b'), () => host.getOrder({}),
      () => host.listOrders({other: 1}), () => host.listOrders('x'),
      () => host.listOrders({status: ''}),
      () => host.listOrders({status: 'x'.repeat(257)}), () => host.listOrders({tag: ['a', 'b']}),
      () => host.listOrders({status: '\ud800'}), () => host.listOrders({status: {}}),
      () => host.getOrder('x'.repeat(9000)),
    ];
    for (const call of refused) {
      const error = await call().then(() => 'sent', (e) => e);
      if (!(error instanceof TypeError) || !error.message.startsWith('GET /v1/orders')) {
        console.log(String(call), error);
      }
    }
    console.log((await host.getOrder('a/b').catch((e) => e)).message);)");
  EXPECT_EQ(report.stdout_bytes,
            "GET /v1/orders/*: id cannot be sent as a part of a path: \"a/b\"; letters, digits and "
            "-._~!$&'()*+,=:@ are accepted, and not dots alone\n")
      << report.stderr_bytes;
  EXPECT_TRUE(calls.asked.empty());
}

TEST_F(Client, SendsItsBody) {
  RecordingCalls calls;
  const auto report = run(calls, preamble_of(kOrders), R"(
    await host.createOrder({a: 1});
    console.log(await host.createOrder().catch((e) => e.message));)");
  EXPECT_EQ(report.stdout_bytes, "POST /v1/orders: body is missing\n") << report.stderr_bytes;
  ASSERT_EQ(calls.asked.size(), 1U);
  EXPECT_EQ(calls.asked[0].body, R"({"a":1})");
}

TEST_F(Client, LeavesNothingBehindAndHasAnyName) {
  RecordingCalls calls;
  GenerateOptions options;
  options.emit.global = "shop";
  const auto report = run(calls, preamble_of(kOrders, options), R"(
    console.log(typeof $send, typeof $call, typeof host, Object.keys(shop).includes('getOrder'));)",
                          "shop");
  EXPECT_EQ(report.stdout_bytes, "undefined undefined undefined true\n") << report.stderr_bytes;
}

}  // namespace
}  // namespace plimsoll::specgen
