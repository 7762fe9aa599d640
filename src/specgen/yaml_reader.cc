// YAML, by yaml-cpp's parser, of which only the events are used: its nodes resolve aliases and
// merge keys and convert scalars by rules of YAML 1.1.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/node/node.h>  // what parser.h declares, or the linter takes ours for it
#include <yaml-cpp/parser.h>

#include <istream>
#include <new>
#include <streambuf>
#include <string>
#include <utility>

#include "specgen/document_builder.h"
#include "specgen/document_reader.h"
#include "specgen/text.h"
#include "specgen/yaml_scalar.h"

namespace plimsoll::specgen {
namespace {

// Reads from memory that is not copied.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view bytes) {
    // The interface has no const; nothing is put back that differs.
    char* begin = const_cast<char*>(bytes.data());
    setg(begin, begin, begin + bytes.size());
  }
};

Mark place(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {.line = static_cast<std::uint32_t>(mark.line + 1),
          .column = static_cast<std::uint32_t>(mark.column + 1)};
}

// How the builder's refusal gets through the parser; never leaves read_yaml().
struct Refused {};

class Events final : public YAML::EventHandler {
 public:
  explicit Events(const DocumentLimits& limits) : builder_(limits) {}

  [[nodiscard]] DocumentBuilder& builder() { return builder_; }
  [[nodiscard]] bool has_started() const noexcept { return started_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) check(refuse(mark, "is a second document"));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.expects_key()) {
      check(refuse(mark, "is a key without a name"));
    } else {
      check(builder_.scalar(Kind::kNull, {}, place(mark), anchor));
    }
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.expects_key()) check(refuse(mark, "is an alias as a key"));
    check(builder_.alias(anchor, place(mark)));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool is_plain = tag == "?" || tag.empty();
    if (!is_plain && tag != "!" && tag != "tag:yaml.org,2002:str") {
      check(
          refuse(mark, fmt::format("has the tag {}; only what JSON can say is read", quoted(tag))));
    }
    if (builder_.expects_key()) {
      if (is_plain && text == "<<") {
        check(refuse(mark, "is a merge key, which YAML 1.2 does not have; write the keys out"));
      }
      check(builder_.key(text, place(mark)));
      return;
    }
    ScalarValue value =
        is_plain ? value_of_plain_scalar(text) : ScalarValue{.kind = Kind::kString, .text = text};
    check(builder_.scalar(value.kind, std::move(value.text), place(mark), anchor));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::kArray, mark, tag, anchor, "tag:yaml.org,2002:seq");
  }
  void OnSequenceEnd() override { check(builder_.close()); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::kObject, mark, tag, anchor, "tag:yaml.org,2002:map");
  }
  void OnMapEnd() override { check(builder_.close()); }

 private:
  static void check(bool accepted) {
    if (!accepted) throw Refused();
  }
  bool refuse(const YAML::Mark& mark, std::string message) {
    return builder_.refuse(place(mark), std::move(message));
  }
  void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            std::string_view own_tag) {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != own_tag) {
      check(
          refuse(mark, fmt::format("has the tag {}; only what JSON can say is read", quoted(tag))));
    }
    if (builder_.expects_key()) check(refuse(mark, "is a key that is no text"));
    check(builder_.open(kind, place(mark), anchor));
  }

  DocumentBuilder builder_;
  bool started_ = false;
};

}  // namespace

std::optional<Document> read_yaml(std::string_view bytes, const DocumentLimits& limits,
                                  Diagnostics& diagnostics) {
  ViewBuffer buffer(bytes);
  std::istream stream(&buffer);
  Events events(limits);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
    // Comments and directives alone are no document.
    if (events.has_started()) return events.builder().take();
    diagnostics.error({}, "the document is empty");
  } catch (const Refused&) {
    const Diagnostic& fault = events.builder().fault();
    diagnostics.error(fault.mark, fault.message);
  } catch (const YAML::Exception& fault) {
    diagnostics.error(place(fault.mark), "is not YAML: " + one_line(fault.msg));
  }
  return std::nullopt;
}

}  // namespace plimsoll::specgen
