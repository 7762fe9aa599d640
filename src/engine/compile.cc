#include "engine/compile.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "engine/js_value.h"

namespace plimsoll::engine {

namespace {

// Flags of JS_Eval (quickjs.h).
constexpr std::uint32_t kModule = 1;
constexpr std::uint32_t kCompileOnly = 32;
constexpr std::uint32_t kAsync = 128;

bool mentions(std::span<const std::uint8_t> code, std::string_view word) noexcept {
  return std::search(code.begin(), code.end(), word.begin(), word.end()) != code.end();
}

class Compiler {
 public:
  Compiler(Instance& instance, const SnapshotHeader& header) noexcept
      : instance_(instance), header_(header) {}

  Compiled run(std::span<const std::uint8_t> code) noexcept {
    if (!copy_in(code)) return out_;
    // As a script, `await (f())` is a call of a function named await: where the word stands, the
    // script with top-level await comes first, and the plain one is for those who do use it as a
    // name.
    const bool awaits = mentions(code, "await");
    JsValue best = kJsUndefined;
    if (attempt(awaits ? kAsync : 0, best)) return out_;
    if (out_.trap != Trap::kNone || !is_syntax_error(best)) return fail(best);
    JsValue error = kJsUndefined;
    if (attempt(awaits ? 0 : kAsync, error)) return out_;
    if (out_.trap != Trap::kNone) return fail(best);
    if (attempt(kModule, error)) return out_;
    if (out_.trap != Trap::kNone) return fail(best);
    // Not a syntax error: the text is a module, and what it imports does not exist here.
    if (!is_syntax_error(error)) return fail(error);
    if (mentions(code, "import") || mentions(code, "export")) best = error;
    return without_types(best, awaits);
  }

 private:
  Compiled without_types(JsValue best, bool awaits) noexcept {
    JsValue source = kJsUndefined;
    out_.trap = new_string(instance_, instance_.bytes(out_.source, out_.source_size), source);
    if (out_.trap != Trap::kNone || is_exception(source)) return fail(best);
    const JsValue args[] = {source};
    JsValue stripped = kJsUndefined;
    out_.trap =
        call_function(instance_, header_.hooks[std::size_t(Hook::kStripTypes)], args, stripped);
    if (out_.trap != Trap::kNone) return out_;
    if (!is_string(stripped)) {
      JsValue ignored = kJsUndefined;
      out_.trap = take_exception(instance_, ignored);
      return fail(best);
    }
    const GuestText text = text_of(instance_, stripped);
    out_.trap = text.trap;
    if (out_.trap != Trap::kNone || !text.ok) return fail(best);
    out_.source = text.release;  // stays allocated: it is the source now
    out_.source_size = static_cast<std::uint32_t>(text.bytes.size());
    JsValue error = kJsUndefined;
    for (const std::uint32_t flags : {awaits ? kAsync : 0, awaits ? 0 : kAsync, kModule}) {
      if (attempt(flags, error)) return out_;
      if (out_.trap != Trap::kNone) return out_;
      if (!is_syntax_error(error)) return fail(error);
    }
    return fail(best);
  }

  Compiled fail(JsValue error) noexcept {
    out_.ok = false;
    out_.value = error;
    return out_;
  }

  bool copy_in(std::span<const std::uint8_t> code) noexcept {
    const auto size = static_cast<std::uint32_t>(code.size());
    out_.trap = enter_guest(instance_,
                            [&] { out_.source = Z_qjsZ_wasm_malloc(instance_.raw(), size + 1); });
    const auto to = instance_.bytes(out_.source, std::uint64_t{size} + 1);
    if (out_.trap != Trap::kNone || out_.source == 0 || to.empty()) {
      out_.value = kJsNull;  // no memory for the source itself
      return false;
    }
    std::memcpy(to.data(), code.data(), size);
    to[size] = 0;
    out_.source_size = size;
    return true;
  }

  bool attempt(std::uint32_t flags, JsValue& error) noexcept {
    out_.trap = enter_guest(instance_, [&] {
      out_.value = Z_qjsZ_JS_Eval(instance_.raw(), instance_.context(), out_.source,
                                  out_.source_size, header_.file_name, flags | kCompileOnly);
      if (is_exception(out_.value)) {
        error = Z_qjsZ_JS_GetException(instance_.raw(), instance_.context());
      }
    });
    out_.ok = out_.trap == Trap::kNone && !is_exception(out_.value);
    out_.is_promise = flags != 0;
    return out_.ok;
  }

  // Nothing of the guest's has run yet, so the names are what the engine says.
  bool is_syntax_error(JsValue error) noexcept {
    if (!is_object(error)) return false;
    JsValue name = kJsUndefined;
    out_.trap = get_property(instance_, error, "name", name);
    if (out_.trap != Trap::kNone || !is_string(name)) return false;
    const GuestText text = text_of(instance_, name);
    out_.trap = text.trap;
    constexpr std::string_view kName = "SyntaxError";
    return text.ok && text.bytes.size() == kName.size() &&
           std::equal(kName.begin(), kName.end(), text.bytes.begin());
  }

  Instance& instance_;
  const SnapshotHeader& header_;
  Compiled out_;
};

}  // namespace

Compiled compile(Instance& instance, const SnapshotHeader& header,
                 std::span<const std::uint8_t> code) noexcept {
  return Compiler(instance, header).run(code);
}

}  // namespace plimsoll::engine
