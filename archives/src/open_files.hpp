#pragma once

#include "found_array.hpp"

#include <memory>
#include <utility>

namespace purview::inline v0_1::archives {

/// The array of a file, which is opened when it is wanted, and closed when 256 others of this process were wanted since.
class LazyArray {
public:
    explicit LazyArray(FoundArray found) : found_(std::move(found)) {}
    LazyArray(const LazyArray&) = delete;
    LazyArray& operator=(const LazyArray&) = delete;
    ~LazyArray();

    const FoundArray& found() const noexcept { return found_; }
    /// Its elements. Throws `FormatError` where the file is gone, or another than it was.
    std::shared_ptr<const AnyTensor> opened() const;

private:
    FoundArray found_;
};

} // namespace purview::archives
