#include "providers/docker/curl_library.h"

#include <dlfcn.h>

#include <optional>
#include <type_traits>

namespace plimsoll::docker {
namespace {

std::optional<CurlLibrary> load() noexcept {
  void* file = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) return std::nullopt;
  bool complete = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(file, name));
    complete = complete && function != nullptr;
  };
  CurlLibrary curl;
  find(curl.easy_cleanup, "curl_easy_cleanup");
  find(curl.easy_getinfo, "curl_easy_getinfo");
  find(curl.easy_init, "curl_easy_init");
  find(curl.easy_perform, "curl_easy_perform");
  find(curl.easy_recv, "curl_easy_recv");
  find(curl.easy_reset, "curl_easy_reset");
  find(curl.easy_send, "curl_easy_send");
  find(curl.easy_setopt, "curl_easy_setopt");
  find(curl.easy_strerror, "curl_easy_strerror");
  find(curl.slist_append, "curl_slist_append");
  find(curl.slist_free_all, "curl_slist_free_all");
  if (!complete) return std::nullopt;
  return curl;
}

}  // namespace

const CurlLibrary* curl_library() noexcept {
  static const std::optional<CurlLibrary> kLibrary = load();
  return kLibrary ? &*kLibrary : nullptr;
}

}  // namespace plimsoll::docker
