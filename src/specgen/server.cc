#include "specgen/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace plimsoll::specgen {
namespace {

// {name} becomes the default of its variable; what has none stays.
std::string with_defaults(std::string_view url, const Node* variables) {
  std::string text;
  while (!url.empty()) {
    const std::size_t open = url.find('{');
    const std::size_t close = open == std::string_view::npos ? open : url.find('}', open);
    if (close == std::string_view::npos) return text.append(url);
    text.append(url.substr(0, open));
    const std::string_view name = url.substr(open + 1, close - open - 1);
    const Node* variable = variables == nullptr ? nullptr : variables->find(name);
    const Node* value = variable == nullptr ? nullptr : variable->find("default");
    const bool known = value != nullptr && !value->is(Kind::kArray) && !value->is(Kind::kObject);
    text.append(known ? std::string_view(value->text) : url.substr(open, close - open + 1));
    url.remove_prefix(close + 1);
  }
  return text;
}

bool is_host_byte(char c) {
  static constexpr std::string_view kMarks = "-.:[]";
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<Server> parse(std::string_view url) {
  Server server;
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) {
    const std::string name = lower(url.substr(0, scheme));
    if (name != "https" && name != "http") return std::nullopt;
    url.remove_prefix(scheme + 3);
    const std::size_t end = std::min(url.find('/'), url.size());
    const std::string host = lower(url.substr(0, end));
    if (host.empty() || !std::ranges::all_of(host, is_host_byte)) return std::nullopt;
    server.origin = name + "://" + host;
    url.remove_prefix(end);
  } else if (!url.empty() && url.front() != '/') {
    return std::nullopt;
  }
  while (url.ends_with('/')) url.remove_suffix(1);
  server.base_path = url;
  return server;
}

}  // namespace

std::optional<Server> read_servers(const Node* servers, Diagnostics& diagnostics) {
  if (servers == nullptr || !servers->is(Kind::kArray)) return std::nullopt;
  std::optional<Server> first;
  for (const Node* one : servers->items) {
    const Node* url = one->find("url");
    const bool is_text = url != nullptr && url->is(Kind::kString);
    const auto server =
        is_text ? parse(with_defaults(url->text, one->find("variables"))) : std::nullopt;
    if (!server) {
      diagnostics.warn(one->mark, "is no server with an http(s) URL or an absolute path");
    } else if (!first) {
      first = server;
    } else if (first->base_path != server->base_path) {
      diagnostics.warn(one->mark,
                       fmt::format("is a server with another base path, {}; the routes have that "
                                   "of the first, {}",
                                   quoted(server->base_path), quoted(first->base_path)));
    }
  }
  return first;
}

}  // namespace plimsoll::specgen
