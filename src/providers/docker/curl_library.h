// libcurl, loaded when a container engine is first asked. A program that never asks one must not
// pay the 3 ms that libcurl and its own libraries cost at every start (tests/build/elf_test.py).
#pragma once

#include <curl/curl.h>

namespace plimsoll::docker {

// The functions of libcurl that this layer calls, with libcurl's own types.
struct CurlLibrary {
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_recv) easy_recv = nullptr;
  decltype(&::curl_easy_reset) easy_reset = nullptr;
  decltype(&::curl_easy_send) easy_send = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
};

// Loads it at the first call, and never unloads it. Null where libcurl.so.4 is missing or lacks one
// of these. Safe for concurrent use.
[[nodiscard]] const CurlLibrary* curl_library() noexcept;

}  // namespace plimsoll::docker
