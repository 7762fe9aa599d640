// Writes for each document that is given its types and a sample call of each method, for the
// compiler of TypeScript: write_samples OUT_DIR FILE...
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string>

#include "specgen/generator.h"
#include "specgen/signature.h"
#include "tests/specgen/documents.h"

namespace plimsoll::specgen {
namespace {

// What the types say themselves: a value of each argument's type, whatever it is.
std::string typed_call(const Operation& operation, const std::string& global) {
  const std::string method = global + "." + operation.name;
  std::string arguments;
  std::size_t at = 0;
  for ([[maybe_unused]] const Argument& one : arguments_of(operation)) {
    arguments += (at == 0 ? "" : ", ") + std::string("value<NonNullable<Parameters<typeof ") +
                 method + ">[" + std::to_string(at) + "]>>()";
    ++at;
  }
  std::string text = "  keep(await " + method + "(" + arguments + "));\n";
  // One argument more than there are is a mistake that the compiler has to find.
  text +=
      "  // @ts-expect-error\n  void " + method + "(" + arguments + (at == 0 ? "" : ", ") + "1);\n";
  return text;
}

int write(const std::filesystem::path& folder, const std::filesystem::path& input, int number) {
  GenerateOptions options;
  options.emit.global = "api" + std::to_string(number);
  Diagnostics diagnostics;
  const std::string bytes = content_of(input);
  auto generator = Generator::read(bytes, options, diagnostics);
  if (!generator) return 0;
  std::ofstream types(folder / (options.emit.global + ".d.ts"));
  generator->emit(Artifact::kTypes, types);
  std::ofstream calls(folder / (options.emit.global + "_calls.ts"));
  calls << "declare function value<T>(): T;\ndeclare function keep(value: unknown): void;\n"
        << "export async function all(): Promise<void> {\n";
  for (const Operation& operation : generator->api().operations) {
    calls << typed_call(operation, options.emit.global);
  }
  calls << "}\n";
  return types && calls ? 1 : -1000;
}

}  // namespace
}  // namespace plimsoll::specgen

int main(int argc, char** argv) {
  const std::span<char*> args(argv, static_cast<std::size_t>(argc));
  if (args.size() < 3) return 2;
  int written = 0;
  for (std::size_t i = 2; i < args.size(); ++i) {
    written += plimsoll::specgen::write(args[1], args[i], static_cast<int>(i));
  }
  std::cout << written << '\n';
  return written > 0 ? 0 : 1;
}
