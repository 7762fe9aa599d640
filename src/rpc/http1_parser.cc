#include "rpc/http1_parser.h"

#include <algorithm>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace plimsoll::rpc {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// Beast's parser of heads, with what it leaves open closed. It calls the on_..._impl functions.
class Http1Parser::Impl final : public http::basic_parser<true> {
 public:
  explicit Impl(const Limits& limits) : limits_(limits) {
    header_limit(static_cast<std::uint32_t>(limits.header_bytes + 4));
    body_limit(boost::none);  // the exchange has the limit, and answers for it
  }

  RequestHead head;
  unsigned version = 0;
  bool expects_continue = false;
  unsigned refused = 0;  // a status, when a rule of ours was broken

 private:
  using Error = beast::error_code;

  void refuse(unsigned status, Error& error) {
    refused = status;
    error = http::error::bad_value;
  }

  void on_request_impl(http::verb, beast::string_view method, beast::string_view target, int number,
                       Error& error) override {
    version = static_cast<unsigned>(number);
    head.method.assign(method.data(), method.size());
    if (!split_target({target.data(), target.size()}, head.path, head.query)) {
      if (target != "*") refuse(400, error);
      head.path = "*";
    }
  }
  void on_response_impl(int, beast::string_view, int, Error&) override {}

  void on_field_impl(http::field, beast::string_view name, beast::string_view value,
                     Error& error) override {
    if (head.headers.size() == limits_.header_fields) return refuse(431, error);
    std::string lower(name.data(), name.size());
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    head.headers.add(lower, {value.data(), value.size()});
  }

  void on_header_impl(Error& error) override {
    const Headers& fields = head.headers;
    const std::size_t lengths = fields.count("content-length");
    const std::size_t codings = fields.count("transfer-encoding");
    if (lengths + codings > 1) return refuse(400, error);
    if (const auto coding = fields.find("transfer-encoding")) {
      // HTTP/1.0 has no chunks; what frames it otherwise is not known to us.
      if (version < 11 || !equal_ignoring_case(*coding, "chunked")) return refuse(400, error);
    }
    if (const auto length = fields.find("content-length")) {
      const bool digits = length->find_first_not_of("0123456789") == std::string_view::npos;
      if (!digits || length->empty()) return refuse(400, error);
      head.content_length = content_length().value();
    }
    const std::size_t hosts = fields.count("host");
    if (hosts > 1 || (version >= 11 && hosts == 0)) return refuse(400, error);
    if (const auto expected = fields.find("expect")) {
      if (!equal_ignoring_case(*expected, "100-continue")) return refuse(417, error);
      expects_continue = version >= 11;
    }
  }

  // Bodies are not given to it.
  void on_body_init_impl(boost::optional<std::uint64_t> const&, Error&) override {}
  std::size_t on_body_impl(beast::string_view, Error&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, Error&) override { return 0; }
  void on_finish_impl(Error&) override {}

  const Limits& limits_;
};

Http1Parser::Http1Parser(const Limits& limits)
    : limits_(limits), impl_(std::make_unique<Impl>(limits)) {}
Http1Parser::~Http1Parser() = default;

RequestHead& Http1Parser::head() noexcept { return impl_->head; }
bool Http1Parser::has_body() const noexcept { return chunks_.has_value() || left_ != 0; }
bool Http1Parser::expects_continue() const noexcept { return impl_->expects_continue; }
bool Http1Parser::keep_alive() const noexcept { return impl_->keep_alive(); }
unsigned Http1Parser::error_status() const noexcept { return error_status_; }

Http1Parser::Step Http1Parser::bad(unsigned status) {
  error_status_ = status;
  return {.state = State::kBad};
}

Http1Parser::Step Http1Parser::step(std::string_view bytes) {
  if (!impl_->is_header_done()) return step_head(bytes);
  if (!chunks_ && left_ == 0) done_ = true;
  if (done_) return {.state = State::kDone};
  return step_body(bytes);
}

Http1Parser::Step Http1Parser::step_head(std::string_view bytes) {
  // The whole head is looked at before Beast gets it: where it ends, and that each line of it ends
  // with CR LF and does not start with a blank.
  for (; scanned_ < bytes.size(); ++scanned_) {
    if (scanned_ >= limits_.header_bytes) return bad(431);
    const char c = bytes[scanned_];
    if (c == '\r' || c == '\n') {
      if (c == '\n' && (scanned_ == 0 || bytes[scanned_ - 1] != '\r')) return bad(400);
      if (c == '\r' && scanned_ + 1 == bytes.size()) break;  // its LF decides
      if (c == '\r' && bytes[scanned_ + 1] != '\n') return bad(400);
      if (c == '\n' && scanned_ >= 3 && bytes[scanned_ - 2] == '\n') break;
      continue;
    }
    const bool line_start = scanned_ != 0 && bytes[scanned_ - 1] == '\n';
    if (line_start && (c == ' ' || c == '\t')) return bad(400);
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7F) return bad(400);
  }
  if (scanned_ == bytes.size() || bytes[scanned_] == '\r') return {};
  const std::size_t size = scanned_ + 1;
  beast::error_code error;
  // Beast reads one character beyond a line to see that it is not folded: the head ends with an
  // empty one.
  const std::size_t consumed = impl_->put({bytes.data(), size}, error);
  if (impl_->refused != 0) return bad(impl_->refused);
  if (error == http::error::bad_version) return bad(505);
  if (error || !impl_->is_header_done() || consumed != size) return bad(400);
  left_ = head().content_length.value_or(0);
  if (head().headers.count("transfer-encoding") != 0) chunks_.emplace();
  return {.state = State::kHead, .consumed = size};
}

Http1Parser::Step Http1Parser::step_body(std::string_view bytes) {
  if (!chunks_) {
    const std::string_view body = bytes.substr(0, left_);
    left_ -= body.size();
    return {.state = body.empty() ? State::kNeedMore : State::kBody,
            .consumed = body.size(),
            .body = body};
  }
  const ChunkDecoder::Step step = chunks_->step(bytes);
  switch (step.state) {
    case ChunkDecoder::State::kBad:
      return bad(400);
    case ChunkDecoder::State::kDone:
      done_ = true;
      return {.state = State::kDone, .consumed = step.consumed};
    case ChunkDecoder::State::kData:
      return {.state = State::kBody, .consumed = step.consumed, .body = step.data};
    case ChunkDecoder::State::kNeedMore:
      break;
  }
  return {.consumed = step.consumed};
}

}  // namespace plimsoll::rpc
