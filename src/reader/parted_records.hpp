#pragma once

#include "reader/chunk_cache.hpp"
#include "reader/temporary_file.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// Records of one length that lie together in a temporary file.
struct RecordSegment {
    index_t at; ///< in bytes
    index_t count;
};

/// Reads the records of segments in their order. Holds some of them at a time, in memory that counts.
class RecordReader {
public:
    /// At most `most` at a time. The file and the segments have to outlive it.
    RecordReader(const TemporaryFile& file, std::span<const RecordSegment> segments,
                 index_t record_bytes, index_t most);

    /// None at the end only.
    index_t held() const noexcept { return end_ - begin_; }
    /// Whether there are others than those that are held.
    bool has_more() const noexcept { return !segments_.empty(); }
    const std::byte* record(index_t i) const noexcept {
        return memory_.get() + (begin_ + i) * bytes_;
    }
    /// Lets the first of them go, and reads others where half of the memory is free. Asks before it reads whether the work
    /// has been cancelled.
    void drop(index_t count) {
        begin_ += count;
        if (has_more() && 2 * held() <= most_) fill();
    }

private:
    void fill();

    const TemporaryFile* file_;
    std::span<const RecordSegment> segments_; ///< from the first that has not been read as a whole
    index_t within_ = 0;                      ///< records that have been read of that
    index_t bytes_;
    index_t most_;
    CountedBytes counted_;
    std::unique_ptr<std::byte[]> memory_;
    index_t begin_ = 0; ///< of what is held, in records
    index_t end_ = 0;
};

/// Records of one length in a temporary file, parted, in their order within each part. Those of a part go to the file as
/// many at a time as its buffer has room for.
class PartedRecords {
public:
    /// Of at most so many records. Throws as `TemporaryFile` does.
    PartedRecords(const char* what, index_t records, index_t record_bytes, index_t parts,
                  index_t buffer_bytes);

    /// Where the next record of a part is to be put before the next call.
    std::byte* append(index_t part) {
        Part& to = parts_[static_cast<std::size_t>(part)];
        if (to.buffered == of_buffer_) flush(part);
        ++to.size;
        return buffer(part) + to.buffered++ * bytes_;
    }
    /// All records have been appended: buffers go.
    void end();

    index_t parts() const noexcept { return std::ssize(parts_); }
    /// The records of a part.
    index_t size(index_t part) const noexcept {
        return parts_[static_cast<std::size_t>(part)].size;
    }
    /// After `end`.
    RecordReader read(index_t part, index_t most) const {
        return {file_, parts_[static_cast<std::size_t>(part)].segments, bytes_, most};
    }

private:
    struct Part {
        index_t size = 0;
        index_t buffered = 0;
        std::vector<RecordSegment> segments{};
    };
    std::byte* buffer(index_t part) const noexcept {
        return buffers_.get() + part * of_buffer_ * bytes_;
    }
    void flush(index_t part);

    index_t bytes_; ///< of a record
    TemporaryFile file_;
    std::vector<Part> parts_;
    index_t of_buffer_; ///< records
    CountedBytes counted_;
    std::unique_ptr<std::byte[]> buffers_;
};

} // namespace purview
