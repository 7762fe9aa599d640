// Changes a registry file whole or not at all, whenever the process dies, and one at a time.
//
// The lock is on the folder (flock(2)), not on the file: a rename puts another file into the place
// of the locked one. The new content goes to ".NAME.new" beside the file, is synced, takes the
// place of the old by rename(2), and the folder is synced. A crash leaves the old file or the new
// one, and perhaps a ".NAME.new", which the next change removes: whoever holds the lock owns that
// name.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "auth/caller_registry.h"
#include "auth/registry_file.h"
#include "base/unique_fd.h"
#include "plimsoll/result.h"

namespace plimsoll::clients {

class RegistryEditor {
 public:
  // Takes the lock, waiting for at most 30 s, and reads the file. Errors: the folder cannot be
  // opened or locked; the file is a link (symbolic, or one of several hard ones), no regular file,
  // writable by others, or no valid registry. A file that is missing is an empty registry. Every
  // message starts with the path. The lock is given up by destruction.
  [[nodiscard]] static Result<RegistryEditor> open(const std::string& path);

  [[nodiscard]] const CallerRegistry& registry() const noexcept { return registry_; }
  [[nodiscard]] bool exists() const noexcept { return old_.has_value(); }

  // Replaces the file by `changed`, with the mode and owner of the old one; 0600 when there was
  // none. `before` is called when all but the rename has succeeded; its error is returned, and
  // nothing is changed. After an error the file is as it was, but for one: when the folder cannot
  // be synced, the message says that the change is made and may not survive a power failure.
  [[nodiscard]] Result<void> commit(const CallerRegistry& changed,
                                    const std::function<Result<void>()>& before);

 private:
  RegistryEditor(std::string path, std::string name) noexcept
      : path_(std::move(path)), name_(std::move(name)) {}
  [[nodiscard]] Result<void> lock();
  [[nodiscard]] Result<void> read();
  [[nodiscard]] Result<void> write_new(const std::string& bytes);
  [[nodiscard]] std::unexpected<Error> failed(std::string_view what, int error) const;
  [[nodiscard]] std::string new_name() const { return "." + name_ + ".new"; }

  std::string path_;
  std::string name_;  // the last part of the path
  UniqueFd folder_;   // locked
  std::optional<OpenRegistry> old_;
  CallerRegistry registry_;
};

}  // namespace plimsoll::clients
