#pragma once

#include "found_array.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace purview::inline v0_1::archives {

/// The array of a file, which is opened when it is wanted, and closed at once where it can be read by the addresses of its chunks, else when 256 others of
/// this process were wanted since.
class LazyArray {
public:
    explicit LazyArray(FoundArray found) : found_(std::move(found)), detached_(found_.detached) {}
    LazyArray(const LazyArray&) = delete;
    LazyArray& operator=(const LazyArray&) = delete;
    ~LazyArray();

    const FoundArray& found() const noexcept { return found_; }
    /// Its elements. Throws `FormatError` where the file is gone, or another than it was.
    std::shared_ptr<const AnyTensor> opened() const;

private:
    FoundArray found_;
    mutable std::mutex mutex_{};
    mutable std::shared_ptr<const AnyTensor> detached_;
};

} // namespace purview::archives
