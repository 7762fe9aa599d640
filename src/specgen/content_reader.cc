#include "specgen/content_reader.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace plimsoll::specgen {
namespace {

// "application/json" of "Application/JSON; charset=utf-8".
std::string essence(std::string_view media_type) {
  std::string text;
  for (const char c : media_type.substr(0, media_type.find(';'))) {
    if (c != ' ' && c != '\t') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

const Node* json_of_request(const Node& content) {
  for (const std::string_view wanted : {"application/json", "application/*", "*/*"}) {
    for (const Member& one : content.members) {
      if (essence(one.name) == wanted) return one.value;
    }
  }
  return nullptr;
}

bool is_json(std::string_view type) {
  return type == "application/json" || type.ends_with("+json") || type == "*/*" ||
         type == "application/*";
}

void add_answer(const Node& response, Answers& answers) {
  const Node* content = response.find("content");
  if (content == nullptr || content->members.empty()) {
    answers.nothing = true;
    return;
  }
  for (const Member& one : content->members) {
    if (is_json(essence(one.name))) {
      answers.schemas.push_back(one.value->find("schema"));
    } else {
      answers.text = true;
    }
  }
}

}  // namespace

ReadBody read_body(const Node* request_body, Refs& refs, Diagnostics& diagnostics) {
  const Node* body = request_body == nullptr ? nullptr : refs.resolve(request_body);
  const Node* content = body == nullptr ? nullptr : body->find("content");
  if (content == nullptr || content->members.empty()) return {};
  const Node* flag = body->find("required");
  const bool required = flag != nullptr && flag->is_true();
  if (const Node* media = json_of_request(*content)) {
    return {.body = Body{.required = required, .schema = media->find("schema")}, .skip = {}};
  }
  const std::string type = quoted(content->members.front().name);
  if (required) {
    return {
        .body = {},
        .skip = Skip{.reason = SkipReason::kBody,
                     .text = fmt::format("it needs a body of {}; the broker sends JSON", type)}};
  }
  diagnostics.warn(body->mark,
                   fmt::format("is a body of {}; the broker sends JSON: it is left out", type));
  return {};
}

Answers read_answers(const Node* responses, Refs& refs) {
  Answers answers;
  if (responses == nullptr || !responses->is(Kind::kObject)) {
    answers.schemas.push_back(nullptr);
    return answers;
  }
  bool any = false;
  const Node* otherwise = nullptr;
  for (const Member& one : responses->members) {
    if (one.name == "default") otherwise = one.value;
    if (one.name.size() != 3 || one.name.front() != '2') continue;
    any = true;
    if (const Node* response = refs.resolve(one.value)) add_answer(*response, answers);
  }
  if (!any && otherwise != nullptr) {
    if (const Node* response = refs.resolve(otherwise)) add_answer(*response, answers);
  } else if (!any) {
    answers.schemas.push_back(nullptr);
  }
  return answers;
}

}  // namespace plimsoll::specgen
