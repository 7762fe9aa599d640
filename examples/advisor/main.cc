// One question about an inventory, twice: as a loop over its items, then as the advice on the first
// result says. The API's own counts stand beside the finding's.
// Usage: advisor [--report FILE]   FILE: the page that prospector-report makes of both runs
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <plimsoll/sandbox.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

// "How many parts are there?", by somebody who knows of one route.
constexpr std::string_view kLoop = R"js(
  const { ids } = await host.get('/v1/shelf');
  let sum = 0;
  for (const id of ids) sum += (await host.get(`/v1/items/${id}`)).count;
  console.log(sum);
)js";

// The same, by somebody who read the advice.
constexpr std::string_view kAdvised = R"js(
  const items = await host.get('/v1/items');
  console.log(items.reduce((sum, item) => sum + item.count, 0));
)js";

constexpr int kItems = 12;

std::string item(int id) { return fmt::format(R"({{"id":{},"count":{}}})", id, id * id); }

// An API on the loopback interface: a shelf that lists ids, items one by one, and all of them.
class Inventory {
 public:
  Inventory() {
    std::thread([this] { serve(); }).detach();
  }
  [[nodiscard]] std::string origin() const {
    return fmt::format("http://127.0.0.1:{}", acceptor_.local_endpoint().port());
  }
  std::atomic<int> requests = 0;

 private:
  void serve() {
    for (;;) std::thread(&Inventory::speak, this, acceptor_.accept()).detach();
  }
  void speak(tcp::socket peer) {
    boost::beast::flat_buffer buffer;
    for (boost::system::error_code error; !error;) {
      http::request<http::string_body> request;
      http::read(peer, buffer, request, error);
      if (!error) http::write(peer, answer(request), error);
    }
  }
  http::response<http::string_body> answer(const http::request<http::string_body>& request) {
    ++requests;
    http::response<http::string_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, "application/json");
    response.body() = body(std::string(request.target()));
    response.prepare_payload();
    return response;
  }
  static std::string body(const std::string& target) {
    std::string list;
    for (int id = 1; id <= kItems; ++id) {
      if (target == fmt::format("/v1/items/{}", id)) return item(id);
      list += (id == 1 ? "" : ",") + (target == "/v1/items" ? item(id) : std::to_string(id));
    }
    return target == "/v1/items" ? '[' + list + ']' : R"({"ids":[)" + list + "]}";
  }

  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
};

// A run as a line of an audit stream; plimsolld writes these by itself.
std::string audit_line(const plimsoll::Outcome& outcome) {
  std::string advice;
  for (const plimsoll::AdviceFinding& one : outcome.advice) {
    advice += fmt::format(
        R"({}{{"pattern":"{}","severity":"{}","remedy":"{}","method":"{}","route":"{}",)"
        R"("suggested_method":"{}","suggested_route":"{}","extra_calls":{},"added_latency_ms":{},)"
        R"("bytes_moved":{}}})",
        advice.empty() ? "" : ",", to_string(one.pattern), to_string(one.severity),
        to_string(one.remedy), one.method, one.route, one.suggested_method, one.suggested_route,
        one.extra_calls, one.added_latency_ms, one.bytes_moved);
  }
  return fmt::format(
      R"({{"time":"{:%Y-%m-%dT%H:%M:%S}Z","stream":"audit","event":"code_run","caller":"example",)"
      R"("profile":"inventory","outcome":"ok","host_calls":{},"advice":[{}]}})"
      "\n",
      std::chrono::system_clock::now(), outcome.calls.calls(), advice);
}

// Runs prospector-report, which is built beside the examples, on these lines.
bool write_report(const std::string& lines, const char* report) {
  const auto here = std::filesystem::canonical("/proc/self/exe").parent_path();
  const std::string program = here.parent_path() / "bin" / "prospector-report";
  std::string audit = std::filesystem::temp_directory_path() / "plimsoll-advisor-XXXXXX";
  const int fd = ::mkstemp(audit.data());
  if (fd < 0 || ::write(fd, lines.data(), lines.size()) != std::ssize(lines)) return false;
  ::close(fd);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), "-o", report, "-title", "Two runs of one question",
            audit.c_str(), nullptr);
    ::_exit(127);
  }
  int status = -1;
  const bool done = child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
  ::unlink(audit.c_str());
  return done;
}

int fail(std::string_view what) {
  fmt::print(stderr, "advisor: {}\n", what);
  std::fflush(nullptr);
  std::_Exit(1);  // the API's thread goes with the process
}
}  // namespace

int main(int argc, char** argv) {
  const bool with_report = argc == 3 && std::string_view(argv[1]) == "--report";
  if (argc != 1 && !with_report) return fail("usage: advisor [--report FILE]");
  Inventory api;
  auto sandbox = plimsoll::Sandbox::build({.provider = plimsoll::ProviderKind::kWasm});
  if (!sandbox || !sandbox->ensure_ready()) return fail("the sandbox is not ready");
  auto grant =
      plimsoll::Grant::build({.base_url = api.origin(),
                              .allow = {"GET /v1/items/*", "GET /v1/items", "GET /v1/shelf"},
                              .advice = plimsoll::Advice::kCaller});
  if (!grant) return fail(grant.error().message);

  std::string lines;
  std::string answers;
  bool as_expected = true;
  const auto ask = [&](std::string_view how, std::string_view code, int requests,
                       std::size_t findings) {
    api.requests = 0;
    const auto outcome =
        sandbox->run_javascript({.code = std::string(code),
                                 .minimum_isolation = plimsoll::Isolation::kProcess,
                                 .grant = *grant});
    if (!outcome) return fail(outcome.error().message);
    fmt::print("{}: the answer is {}    the API counted {} request{}, the advisor found {}\n", how,
               outcome->stdout_bytes, api.requests.load(), api.requests == 1 ? "" : "s",
               outcome->advice.size());
    for (const plimsoll::AdviceFinding& one : outcome->advice) {
      fmt::print("    {} ({}), {} extra calls: {}\n    instead: {} {}\n", to_string(one.pattern),
                 to_string(one.severity), one.extra_calls, one.detail, one.suggested_method,
                 one.suggested_route);
      // The shelf was the one call besides.
      as_expected =
          as_expected && one.extra_calls + 2 == api.requests && one.suggested_route == "/v1/items";
    }
    as_expected = as_expected && api.requests == requests && outcome->advice.size() == findings;
    answers += outcome->stdout_bytes;
    lines += audit_line(*outcome);
    return 0;
  };
  ask("as a loop", kLoop, kItems + 1, 1);
  ask("as advised", kAdvised, 1, 0);
  if (!as_expected || answers != "650\n650\n") return fail("not what was expected");
  if (with_report && !write_report(lines, argv[2])) return fail("no report");
  if (with_report) fmt::print("the report is in {}\n", argv[2]);
  std::fflush(stdout);
  std::_Exit(0);
}
