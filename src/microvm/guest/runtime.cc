// What the compiler and the engine take for granted of a C library, and no more of it.
#include <cstddef>
#include <cstdint>

#include "microvm/guest/mailbox_host.h"

namespace {

using Block = std::uint64_t __attribute__((vector_size(16), aligned(1), may_alias));
using Word = std::uint64_t __attribute__((aligned(1), may_alias));
using Half = std::uint32_t __attribute__((aligned(1), may_alias));

// From here on the processor's own block move is faster.
constexpr std::size_t kLong = 1'024;

// In each loop: the compiler would make a call of memmove() or strlen() out of it, in themselves.
inline void not_an_idiom() noexcept { asm volatile("" : : : "memory"); }

template <class T>
T load(const std::uint8_t* from) noexcept {
  return *reinterpret_cast<const T*>(from);
}
template <class T>
void store(std::uint8_t* to, T value) noexcept {
  *reinterpret_cast<T*>(to) = value;
}

// Both ends, which overlap unless size is twice a T: everything is read before it is written.
template <class T>
void move_ends(std::uint8_t* to, const std::uint8_t* from, std::size_t size) noexcept {
  const T first = load<T>(from);
  const T last = load<T>(from + size - sizeof(T));
  store(to, first);
  store(to + size - sizeof(T), last);
}

void move_short(std::uint8_t* to, const std::uint8_t* from, std::size_t size) noexcept {
  if (size >= 16) return move_ends<Block>(to, from, size);
  if (size >= 8) return move_ends<Word>(to, from, size);
  if (size >= 4) return move_ends<Half>(to, from, size);
  if (size == 0) return;
  const std::uint8_t first = from[0];
  const std::uint8_t middle = from[size / 2];
  const std::uint8_t last = from[size - 1];
  to[0] = first;
  to[size / 2] = middle;
  to[size - 1] = last;
}

void move_up(std::uint8_t* to, const std::uint8_t* from, std::size_t size) noexcept {
  const Block last = load<Block>(from + size - 16);
  std::uint8_t* const end = to + size - 16;
  for (; to < end; to += 16, from += 16) {
    store(to, load<Block>(from));
    not_an_idiom();
  }
  store(end, last);
}

void move_down(std::uint8_t* to, const std::uint8_t* from, std::size_t size) noexcept {
  const Block first = load<Block>(from);
  std::size_t left = size;
  for (; left > 16; left -= 16) {
    store(to + left - 16, load<Block>(from + left - 16));
    not_an_idiom();
  }
  store(to, first);
}

[[noreturn]] void panic() noexcept {
  for (;;) plimsoll::microvm::hypercall(plimsoll::microvm::Hypercall::kPanic);
}

}  // namespace

extern "C" {

void* memmove(void* target, const void* source, std::size_t size) {
  auto* to = static_cast<std::uint8_t*>(target);
  const auto* from = static_cast<const std::uint8_t*>(source);
  if (size <= 32) {
    move_short(to, from, size);
  } else if (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from) < size) {
    move_down(to, from, size);
  } else if (size >= kLong) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  } else {
    move_up(to, from, size);
  }
  return target;
}

void* memcpy(void* target, const void* source, std::size_t size) {
  return memmove(target, source, size);
}

void* memset(void* target, int value, std::size_t size) {
  auto* to = static_cast<std::uint8_t*>(target);
  if (size < 16 || size >= kLong) {
    asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
    return target;
  }
  const std::uint64_t word =
      std::uint64_t{static_cast<std::uint8_t>(value)} * 0x0101'0101'0101'0101;
  const Block block = {word, word};
  std::uint8_t* const end = to + size - 16;
  for (; to < end; to += 16) {
    store(to, block);
    not_an_idiom();
  }
  store(end, block);
  return target;
}

int memcmp(const void* left, const void* right, std::size_t size) {
  const auto* a = static_cast<const std::uint8_t*>(left);
  const auto* b = static_cast<const std::uint8_t*>(right);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

std::size_t strlen(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') {
    ++size;
    not_an_idiom();
  }
  return size;
}

std::size_t strnlen(const char* text, std::size_t max) {
  std::size_t size = 0;
  while (size < max && text[size] != '\0') {
    ++size;
    not_an_idiom();
  }
  return size;
}

#define PLIMSOLL_ROUND(name, mode)                                 \
  double name(double x) {                                          \
    double rounded = 0;                                            \
    asm("roundsd %2, %1, %0" : "=x"(rounded) : "x"(x), "N"(mode)); \
    return rounded;                                                \
  }
// The modes of SSE 4.1, without the precision exception but for nearbyint's, which has none either.
PLIMSOLL_ROUND(nearbyint, 0xc)
PLIMSOLL_ROUND(floor, 0x9)
PLIMSOLL_ROUND(ceil, 0xa)
PLIMSOLL_ROUND(trunc, 0xb)
#undef PLIMSOLL_ROUND

double sqrt(double x) {
  double root = 0;
  asm("sqrtsd %1, %0" : "=x"(root) : "x"(x));
  return root;
}

// Exact: the x87's partial remainder, until it is the whole one.
double fmod(double x, double y) {
  long double left = x;
  constexpr unsigned kPartial = 0x0400;  // C2 of the status word
  // NOLINTNEXTLINE(bugprone-infinite-loop): the instruction writes the status
  for (unsigned short status = kPartial; (status & kPartial) != 0;) {
    asm("fprem\n\tfnstsw %1" : "+t"(left), "=a"(status) : "u"(static_cast<long double>(y)));
  }
  return static_cast<double>(left);
}

// The compiler's and the C library's names, which are theirs to choose.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void abort() { panic(); }
void __assert_fail(const char*, const char*, unsigned, const char*) { panic(); }
void __stack_chk_fail() { panic(); }
void __cxa_pure_virtual() { panic(); }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

}  // extern "C"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,cert-dcl58-cpp)
namespace std {
void __glibcxx_assert_fail(const char*, int, const char*, const char*) noexcept { panic(); }
}  // namespace std
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,cert-dcl58-cpp)
