#include "reader/parted_records.hpp"

#include <purview/base/checked.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// Longer writes would be no faster, and buffers that are written to by turns are to stay in the caches.
constexpr index_t kMostBufferBytes = index_t{1} << 16;

index_t records_of(std::span<const RecordSegment> segments) {
    index_t count = 0;
    for (const RecordSegment& segment : segments) count += segment.count;
    return count;
}

std::unique_ptr<std::byte[]> new_bytes(index_t count) {
    return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(count));
}

} // namespace

RecordReader::RecordReader(const TemporaryFile& file, std::span<const RecordSegment> segments,
                           index_t record_bytes, index_t most)
    : file_(&file),
      segments_(segments),
      bytes_(record_bytes),
      most_(std::min(most, records_of(segments))),
      counted_(most_ * bytes_, file.what()),
      memory_(new_bytes(most_ * bytes_)) {
    fill();
}

void RecordReader::fill() {
    if (const auto check = before_chunk.load()) check();
    std::copy(record(0), record(held()), memory_.get());
    end_ -= std::exchange(begin_, 0);
    while (has_more() && end_ < most_) {
        const RecordSegment& segment = segments_.front();
        const index_t count = std::min(segment.count - within_, most_ - end_);
        file_->read(segment.at + within_ * bytes_,
                    {memory_.get() + end_ * bytes_, static_cast<std::size_t>(count * bytes_)});
        end_ += count;
        within_ += count;
        if (within_ < segment.count) return;
        segments_ = segments_.subspan(1);
        within_ = 0;
    }
}

PartedRecords::PartedRecords(const char* what, index_t records, index_t record_bytes, index_t parts,
                             index_t buffer_bytes)
    : bytes_(record_bytes),
      file_(what, checked_multiply(records, record_bytes, what)),
      parts_(static_cast<std::size_t>(parts)),
      of_buffer_(std::max<index_t>(
          1,
          std::min(buffer_bytes / std::max<index_t>(1, parts), kMostBufferBytes) / record_bytes)),
      counted_(parts * of_buffer_ * bytes_, what),
      buffers_(new_bytes(parts * of_buffer_ * bytes_)) {}

void PartedRecords::flush(index_t number) {
    Part& part = parts_[static_cast<std::size_t>(number)];
    if (part.buffered == 0) return;
    const index_t at =
        file_.append({buffer(number), static_cast<std::size_t>(part.buffered * bytes_)});
    part.segments.push_back({at, part.buffered});
    part.buffered = 0;
}

void PartedRecords::end() {
    for (index_t part = 0; part < parts(); ++part) flush(part);
    buffers_.reset();
    counted_ = {};
}

} // namespace purview
