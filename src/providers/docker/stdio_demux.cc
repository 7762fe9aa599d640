#include "providers/docker/stdio_demux.h"

#include <algorithm>

namespace plimsoll::docker {

StdioDemux::Status StdioDemux::next(std::span<const std::uint8_t>& input, std::size_t most,
                                    Piece& piece) {
  while (left_ == 0) {
    const std::size_t take = std::min(header_.size() - header_size_, input.size());
    std::copy_n(input.begin(), take, header_.begin() + static_cast<std::ptrdiff_t>(header_size_));
    header_size_ += take;
    input = input.subspan(take);
    if (header_size_ < header_.size()) return Status::kNeedMore;
    header_size_ = 0;
    if (header_[0] != 1 && header_[0] != 2) return Status::kBroken;
    if (header_[1] != 0 || header_[2] != 0 || header_[3] != 0) return Status::kBroken;
    stream_ = static_cast<StdioStream>(header_[0]);
    for (std::size_t i = 4; i < header_.size(); ++i) left_ = left_ << 8 | header_[i];
  }
  if (input.empty()) return Status::kNeedMore;
  const std::size_t size = std::min({std::size_t{left_}, input.size(), most});
  piece = {.stream = stream_, .bytes = input.first(size)};
  input = input.subspan(size);
  left_ -= static_cast<std::uint32_t>(size);
  return Status::kPiece;
}

}  // namespace plimsoll::docker
