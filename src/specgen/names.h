// The names of the client's methods and of their arguments: identifiers of JavaScript that take
// nothing away and that stay what they are when the document grows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "specgen/api_model.h"

namespace plimsoll::specgen {

inline constexpr std::size_t kMaxMethodNameBytes = 64;

// [A-Za-z_$][A-Za-z0-9_$]*
[[nodiscard]] bool is_identifier(std::string_view text) noexcept;

// A word that strict code reserves, or that is a value of the language (undefined, NaN).
[[nodiscard]] bool is_reserved_word(std::string_view text) noexcept;

// What no method may be called: a reserved word, a member that every object has (constructor,
// __proto__), then (the client would look like a promise), and what the client has by itself.
[[nodiscard]] bool is_refused_name(std::string_view text) noexcept;

// "list-all pets" as "listAllPets": the words of letters and digits, in camel case. May be empty or
// start with a digit no more than `text` makes it: a leading digit gets a '_' before it.
[[nodiscard]] std::string camel_case(std::string_view text);

// "getPetsByPetId" of GET /pets/{petId}.
[[nodiscard]] std::string name_of_route(std::string_view method, std::string_view path);

// Names every operation. One whose operationId is an identifier keeps it; others are made into one;
// refused names, of which a warning tells, give way to method and path. Of several that come to the
// same name, the one whose operationId is spelled so keeps it, and the others get a suffix that
// depends on their method and path alone, not on what else is there.
void name_operations(std::vector<Operation>& operations, Diagnostics& diagnostics);

// Sets the identifiers of path parameters: unlike each other, and no word that the client's code
// uses.
void name_arguments(std::vector<Parameter>& parameters);

// A pattern of -include and -exclude: '*' stands for any run of characters.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace plimsoll::specgen
