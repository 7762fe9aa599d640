// From the document to the guest: what is generated is given to a sandbox, the guest calls the
// methods, and an API that follows the document answers.
#include <gtest/gtest.h>
#include <plimsoll/sandbox.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "specgen/generator.h"
#include "tests/broker/recording_upstream.h"
#include "tests/specgen/documents.h"

namespace plimsoll::specgen {
namespace {

// The shop of docs/examples/specgen/orders.yaml.
void shop(const ReceivedRequest& request, UpstreamPeer& peer) {
  static constexpr std::string_view kJson = "Content-Type: application/json\r\n";
  const std::string call = request.method() + " " + request.target();
  if (call == "GET /v1/orders?status=paid&limit=2") {
    peer.answer(200, R"([{"id":"7","status":"paid","items":[]}])", kJson);
  } else if (call == "POST /v1/orders") {
    peer.answer(
        201, R"({"id":"8","status":"open","items":)" + request.body.substr(request.body.find('[')),
        kJson);
  } else if (call == "GET /v1/orders/7") {
    peer.answer(200, R"({"id":"7","status":"paid","items":[]})", kJson);
  } else if (call == "DELETE /v1/orders/8") {
    peer.answer(204);
  } else {
    peer.answer(404, R"({"error":"unknown"})", kJson);
  }
}

GrantConfig generated(const GenerateOptions& options, const std::string& origin) {
  const std::string document = content_of(PLIMSOLL_SOURCE_DIR "/docs/examples/specgen/orders.yaml");
  Diagnostics diagnostics;
  auto generator = Generator::read(document, options, diagnostics);
  EXPECT_TRUE(generator);
  GrantConfig grant{.base_url = origin};
  if (!generator) return grant;
  for (const Route& route : routes_of(generator->api(), Which::kSelected)) {
    grant.allow.push_back(route.text());
  }
  std::ostringstream preamble;
  generator->emit(Artifact::kPreamble, preamble);
  grant.preamble = preamble.str();
  grant.health_check = generator->api().health_check.value_or("");
  return grant;
}

class Generated : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(sandbox_) << sandbox_.error().message;
    const auto ready = sandbox_->ensure_ready();
    ASSERT_TRUE(ready) << ready.error().message;
  }

  std::string run(const GenerateOptions& options, std::string code) {
    auto grant = Grant::build(generated(options, upstream_.origin()));
    EXPECT_TRUE(grant) << grant.error().message;
    if (!grant) return {};
    const auto outcome = sandbox_->run_javascript({.code = std::move(code),
                                                   .timeout = Millis{20'000},
                                                   .caller = "ann",
                                                   .grant = std::move(*grant)});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? outcome->stdout_bytes + outcome->stderr_bytes : "";
  }

  RecordingUpstream upstream_{shop};
  Result<Sandbox> sandbox_ =
      Sandbox::build({.provider = ProviderKind::kWasm, .wasm = {.pool = 1, .max_concurrent = 1}});
};

TEST_F(Generated, MethodsReachTheApiThatTheDocumentDescribes) {
  EXPECT_EQ(run({}, R"(
    const [order] = await host.listOrders({status: 'paid', limit: 2});
    console.log(order.id, (await host.getOrder(order.id)).status);
    const made = await host.createOrder({items: [{sku: 'a', count: 1}]});
    console.log(made.id, made.items[0].sku, await host.cancelOrder(made.id));
    console.log((await host.getOrder('none').catch((e) => e)).status);)"),
            "7 paid\n8 a null\n404\n");
  std::vector<std::string> calls;
  for (const ReceivedRequest& one : upstream_.requests()) {
    calls.push_back(one.method() + " " + one.target());
  }
  EXPECT_EQ(calls, (std::vector<std::string>{"GET /v1/orders?status=paid&limit=2",
                                             "GET /v1/orders/7", "POST /v1/orders",
                                             "DELETE /v1/orders/8", "GET /v1/orders/none"}));
}

TEST_F(Generated, WhatIsTrimmedIsNeitherAMethodNorPermitted) {
  EXPECT_EQ(run({.exclude = {"create-*", "createOrder", "DELETE *"}}, R"(
    console.log(typeof host.createOrder, typeof host.cancelOrder, typeof host.getOrder);
    const refused = await host.post('/v1/orders', {}).catch((e) => e);
    console.log(refused.status, refused.policy);)"),
            "undefined undefined function\n403 true\n");
  EXPECT_TRUE(upstream_.requests().empty());
}

}  // namespace
}  // namespace plimsoll::specgen
