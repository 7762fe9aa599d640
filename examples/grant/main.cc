// Untrusted code calls an API through a grant: a listed route, one that is not, the same past the
// client, and one of another grant. Meanwhile the worker's memory is searched for the credential.
#include <fmt/format.h>
#include <plimsoll/sandbox.h>
#include <sys/random.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

bool is_below_this_program(int pid) {
  while (pid > 1 && pid != ::getpid()) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    pid = 0;
    for (std::string word; pid == 0 && status >> word;) {
      if (word == "PPid:") status >> pid;
    }
  }
  return pid == ::getpid();
}

// How often `text` stands in the memory of this program's workers.
std::size_t times_in_workers(const std::string& text) {
  std::size_t times = 0;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::string name;
    std::ifstream(process.path() / "comm") >> name;
    if (name != "plimsoll-worker") continue;
    if (!is_below_this_program(std::stoi(process.path().filename()))) continue;
    std::ifstream maps(process.path() / "maps");
    std::ifstream memory(process.path() / "mem", std::ios::binary);
    for (std::string line; std::getline(maps, line);) {
      if (line[line.find(' ') + 1] != 'r' || line.find("[v") != std::string::npos) continue;
      const auto from = std::stoull(line, nullptr, 16);
      std::string bytes(std::stoull(line.substr(line.find('-') + 1), nullptr, 16) - from, '\0');
      memory.clear();
      memory.seekg(static_cast<std::streamoff>(from));
      memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      bytes.resize(static_cast<std::size_t>(memory.gcount()));
      for (std::size_t at = 0; (at = bytes.find(text, at)) != std::string::npos; ++at) {
        ++times;
      }
    }
  }
  return times;
}

// A shop's API on the loopback interface. It wants a credential, and looks where else that is.
class Shop {
 public:
  Shop(std::string credential, std::string marker)
      : credential_(std::move(credential)), marker_(std::move(marker)) {
    std::thread([this] { serve(); }).detach();
  }
  [[nodiscard]] std::string origin() const {
    return fmt::format("http://127.0.0.1:{}", acceptor_.local_endpoint().port());
  }
  bool all_well = true;  // the guest's own text was found in its memory, and no credential

 private:
  void serve() {
    for (;;) {
      tcp::socket peer = acceptor_.accept();
      boost::beast::flat_buffer buffer;
      for (boost::system::error_code error; !error;) {
        http::request<http::string_body> request;
        http::read(peer, buffer, request, error);
        if (!error) http::write(peer, answer(request), error);
      }
    }
  }
  http::response<http::string_body> answer(const http::request<http::string_body>& request) {
    const bool welcome = request[http::field::authorization] == "Bearer " + credential_;
    const std::size_t secret = times_in_workers(credential_);
    const std::size_t marker = times_in_workers(marker_);
    all_well = all_well && welcome && secret == 0 && marker > 0;
    fmt::print(
        "    the API got {} {} with {} credential; in the worker's memory that stands {}"
        " times, the guest's own text {} times\n",
        std::string(request.method_string()), std::string(request.target()),
        welcome ? "the right" : "no", secret, marker);
    http::response<http::string_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, "application/json");
    response.body() = R"({"order":7,"state":"shipped"})";
    response.prepare_payload();
    return response;
  }

  std::string credential_;
  std::string marker_;
  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
};

std::string random_text() {
  unsigned long long words[2] = {};
  if (::getrandom(words, sizeof words, 0) != sizeof words) std::abort();
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace

int main() {
  const std::string credential = random_text();
  const std::string marker = random_text();  // the guest holds this one: the search has to find it
  Shop shop(credential, marker);
  auto sandbox = plimsoll::Sandbox::build({.provider = plimsoll::ProviderKind::kWasm});
  auto minter = plimsoll::static_token(plimsoll::Secret(credential));
  if (!sandbox || !sandbox->ensure_ready() || !minter) return 2;

  const auto run = [&](std::string_view allow, std::string_view call, std::string_view expected) {
    auto grant = plimsoll::Grant::build(
        {.base_url = shop.origin(), .allow = {std::string(allow)}, .minter = *minter});
    if (!grant) return static_cast<void>(shop.all_well = false);
    fmt::print("a grant of {}; the guest tries {}\n", allow, call);
    const auto outcome = sandbox->run_javascript(
        {.code =
             fmt::format("const mine = '{}'; const show = (v) => console.log(v.state ?? v.status);"
                         "await {}.then(show, show); mine;",
                         marker, call),
         .minimum_isolation = plimsoll::Isolation::kProcess,
         .grant = *std::move(grant)});
    shop.all_well = shop.all_well && outcome && outcome->stdout_bytes == expected;
    if (!outcome) return fmt::print("{}\n", outcome.error().message);
    fmt::print("    the guest saw {}", outcome->stdout_bytes);
    for (const auto& row : outcome->calls.rows) {
      fmt::print("    trace: {} {} -> {}\n", row.method, row.route, row.status);
    }
    fmt::print("    trace: {} denied\n", outcome->calls.denied);
  };
  run("GET /v1/orders/*", "host.get('/v1/orders/7')", "shipped\n");
  run("GET /v1/orders/*", "host.del('/v1/orders/7')", "403\n");
  run("GET /v1/orders/*", "host.raw('DELETE', '/v1/orders/7')", "403\n");
  run("DELETE /v1/orders/*", "host.raw('DELETE', '/v1/orders/7')", "200\n");
  fmt::print("{}\n",
             shop.all_well ? "The credential never reached the guest." : "SOMETHING IS WRONG");
  std::fflush(stdout);
  std::_Exit(shop.all_well ? 0 : 1);  // the shop's thread goes with the process
}
