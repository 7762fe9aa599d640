// The whole way from a document's bytes to what is made of it.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specgen/api_model.h"
#include "specgen/diagnostics.h"
#include "specgen/document.h"
#include "specgen/emitters.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

struct GenerateOptions {
  EmitOptions emit{};
  // Globs of a method's name, of "METHOD /path" or of "/path" as the document has it. Nothing
  // included: all are. Excluded wins.
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  DocumentLimits limits{};
};

// A document that was read. Moves; not for concurrent use.
class Generator {
 public:
  // nullopt: unusable; why is in `diagnostics`, which outlives the generator.
  [[nodiscard]] static std::optional<Generator> read(std::string_view bytes,
                                                     const GenerateOptions& options,
                                                     Diagnostics& diagnostics);

  [[nodiscard]] const Api& api() const noexcept { return api_; }

  // Writes the artifact; adds no diagnostics.
  void emit(Artifact artifact, std::ostream& out);

 private:
  Generator(std::unique_ptr<Document> document, std::unique_ptr<Refs> refs, Api api,
            EmitOptions options)
      : document_(std::move(document)),
        refs_(std::move(refs)),
        api_(std::move(api)),
        options_(std::move(options)) {}

  std::unique_ptr<Document> document_;
  std::unique_ptr<Refs> refs_;
  Api api_;
  EmitOptions options_;
};

}  // namespace plimsoll::specgen
