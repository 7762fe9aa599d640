#include "providers/docker/engine_api.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "providers/docker/fake_engine.h"

namespace plimsoll::docker {
namespace {

using std::chrono::milliseconds;

const std::string kId(64, 'a');
const std::string kVersion =
    http(200, R"({"ApiVersion":"1.41","MinAPIVersion":"1.12","Version":"20.10","Components":[
      {"Name":"runc","Version":"1.1.5"},{"Name":"Engine","Version":"20.10"}]})");

Endpoint endpoint_of(const FakeEngine& engine) {
  return {.socket_path = engine.socket_path(), .base_url = "http://engine"};
}

std::map<std::string, Script> with_version(std::map<std::string, Script> scripts) {
  scripts["GET /version"] = {.bytes = kVersion};
  return scripts;
}

TEST(EngineApi, TheNewestCommonVersionIsSpoken) {
  EXPECT_EQ(choose_version({1, 12}, {1, 41}), (ApiVersion{1, 41}));
  EXPECT_EQ(choose_version({1, 44}, {1, 99}), kNewestApi);
  EXPECT_EQ(choose_version({1, 12}, {1, 39}), std::nullopt);
  EXPECT_EQ(choose_version({1, 48}, {1, 60}), std::nullopt);
  EXPECT_EQ(choose_version({2, 0}, {2, 1}), std::nullopt);
  for (const char* text :
       {"", "1", "1.", ".1", "1.x", "1.41 ", "-1.4", "1.41.1", "99999999999.1"}) {
    EXPECT_EQ(parse_api_version(text), std::nullopt) << text;
  }
}

TEST(EngineApi, TheVersionIsPartOfEveryPath) {
  FakeEngine engine(with_version({{"DELETE /v1.41/containers/" + kId, {.bytes = http(204, "")}}}));
  EngineApi api(endpoint_of(engine));
  const auto version = api.connect();
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->runtimes, "runc 1.1.5");
  EXPECT_TRUE(api.remove(kId));
  EXPECT_EQ(engine.requests().back(), "DELETE /v1.41/containers/" + kId + "?force=1&v=1");
}

TEST(EngineApi, AnEngineThatHangsCostsADeadline) {
  FakeEngine engine({{"POST /containers/x/wait", {.bytes = "", .stay_open = true}}});
  EngineApi api(endpoint_of(engine));
  const auto start = std::chrono::steady_clock::now();
  const auto waited = api.wait("x", milliseconds(150));
  EXPECT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kNotReady);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(150));
  EXPECT_LE(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(EngineApi, ACallThatIsCanceledIsGivenUpLongBeforeItsDeadline) {
  FakeEngine engine(
      with_version({{"POST /containers/" + kId + "/start", {.bytes = "", .stay_open = true}}}));
  EngineApi api(endpoint_of(engine));
  std::stop_source stop;
  const auto start = std::chrono::steady_clock::now();
  const std::jthread later([&stop] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request_stop();
  });
  EXPECT_FALSE(api.start(kId, stop.get_token()));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(100));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));  // of 20
}

TEST(EngineApi, AnAnswerBeyondItsBoundIsNotKept) {
  FakeEngine engine({{"GET /x", {.bytes = http(200, std::string(5'000, ' '))}}});
  EngineClient client(endpoint_of(engine));
  const auto answer = client.call({.path = "/x", .max_answer_bytes = 4'999});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("too large"), std::string::npos);
  const auto whole = client.call({.path = "/x", .max_answer_bytes = 5'000});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body.size(), 5'000U);
}

TEST(EngineApi, AnswersThatMakeNoSenseAreErrors) {
  for (const char* body :
       {"", "{", "[]", "null", R"({"State":{}})",
        R"({"State":{"Running":"yes","OOMKilled":false,"ExitCode":0,"Pid":1}})",
        R"({"State":{"Running":true,"OOMKilled":false,"ExitCode":0.5,"Pid":1}})",
        R"({"State":{"Running":true,"OOMKilled":false,"ExitCode":256,"Pid":1}})",
        R"({"State":{"Running":true,"OOMKilled":false,"ExitCode":0,"Pid":-1}})",
        R"({"State":{"Running":true,"Running":false,"OOMKilled":false,"ExitCode":0,"Pid":1}})"}) {
    FakeEngine engine({{"GET /containers/", {.bytes = http(200, body)}}});
    EngineApi api(endpoint_of(engine));
    EXPECT_FALSE(api.inspect(kId)) << body;
  }
  FakeEngine engine(
      {{"GET /containers/", {.bytes = http(200, R"({"State":{"Running":false,"OOMKilled":true,
                         "ExitCode":137,"Pid":0}})")}},
       {"POST /containers/create", {.bytes = http(201, R"({"Id":"../x"})")}}});
  EngineApi api(endpoint_of(engine));
  const auto state = api.inspect(kId);
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->oom_killed);
  EXPECT_FALSE(api.create("{}", "name"));  // that is no id
}

TEST(EngineApi, TheEnginesReasonIsQuotedAndBounded) {
  FakeEngine engine(
      {{"POST /containers/x/start",
        {.bytes = http(500, "{\"message\":\"bad\\nline\\u001b" + std::string(900, 'y') + "\"}")}}});
  EngineApi api(endpoint_of(engine));
  const auto started = api.start("x");
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("bad"), std::string::npos) << started.error().message;
  for (const char c : started.error().message) EXPECT_GE(c, ' ') << started.error().message;
  EXPECT_LT(started.error().message.size(), 500U);
}

TEST(EngineApi, NoEngineIsAnErrorThatNamesTheSocket) {
  EngineApi api({.socket_path = "/no/such/engine", .base_url = "http://engine"});
  const auto version = api.connect();
  ASSERT_FALSE(version);
  EXPECT_NE(version.error().message.find("/no/such/engine"), std::string::npos);
}

// Reads until the stream has nothing more, or is gone.
std::pair<std::string, guest::StreamState> drained(guest::ByteStream& stream) {
  std::string text;
  for (;;) {
    std::array<std::uint8_t, 64> space{};
    const auto step = stream.read(space);
    text.append(reinterpret_cast<const char*>(space.data()), step.bytes);
    if (step.state == guest::StreamState::kMoved) continue;
    if (step.state != guest::StreamState::kWait) return {text, step.state};
    pollfd ready{.fd = stream.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 5'000) <= 0) return {text, step.state};
  }
}

std::string piece(char stream, const std::string& text) {
  return std::string{stream, 0, 0, 0, 0, 0, 0, static_cast<char>(text.size())} + text;
}

const std::string kUpgraded =
    "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

TEST(EngineApi, AnAttachedStreamIsTheContainersStdout) {
  FakeEngine engine({{"POST /containers/",
                      {.bytes = kUpgraded + piece(1, "first") + piece(2, "noise") +
                                piece(1, " second") + piece(1, std::string(100, 'z'))}}});
  EngineApi api(endpoint_of(engine));
  auto stream = api.attach(kId);
  ASSERT_TRUE(stream) << stream.error().message;
  const auto [text, state] = drained(**stream);
  EXPECT_EQ(text, "first second" + std::string(100, 'z'));
  EXPECT_EQ(state, guest::StreamState::kGone);
}

TEST(EngineApi, AStreamThatIsNotTheEnginesIsBroken) {
  FakeEngine engine({{"POST /containers/", {.bytes = kUpgraded + "what is this then"}}});
  EngineApi api(endpoint_of(engine));
  auto stream = api.attach(kId);
  ASSERT_TRUE(stream);
  EXPECT_EQ(drained(**stream).second, guest::StreamState::kBroken);
}

TEST(EngineApi, AnAttachThatIsRefusedOrEndlessIsAnError) {
  for (const std::string& bytes :
       {http(404, "{}"), std::string("HTTP/1.1 101"), std::string("garbage\r\n\r\n"),
        "HTTP/1.1 101 X\r\n" + std::string(10'000, 'x'), std::string()}) {
    FakeEngine engine({{"POST /containers/", {.bytes = bytes}}});
    EngineApi api(endpoint_of(engine));
    const auto stream = api.attach(kId);
    ASSERT_FALSE(stream) << bytes.substr(0, 20);
    EXPECT_EQ(stream.error().code, ErrorCode::kNotReady);
  }
}

TEST(EngineApi, ContainersAreListedWithTheirLabels) {
  FakeEngine engine({{"GET /containers/json",
                      {.bytes = http(200, R"([{"Id":")" + kId +
                                              R"(","State":"exited","Created":5,
        "Labels":{"plimsoll.serial":"7","x":"y"}}])")}}});
  EngineApi api(endpoint_of(engine));
  const auto list = api.list("plimsoll.instance");
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ(list->front().state, "exited");
  EXPECT_EQ(list->front().labels.size(), 2U);
  EXPECT_EQ(engine.requests().back(),
            "GET /containers/json?all=1&filters=%7B%22label%22:%5B%22plimsoll.instance%22%5D%7D");
}

}  // namespace
}  // namespace plimsoll::docker
