#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/copy/copy_box.hpp"
#include "engine/kernels/table/kernel_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace purview::engine {

/// A copy from memory to memory of one built-in type, through any views: what to do, worked out once.
/// Runs as a whole or in parts, from any number of threads.
class CopyPlan {
public:
    /// Both leaves have memory, that of the destination can be written, and their dtypes are one
    /// built-in type. The views have one shape, no two elements of the destination are the same,
    /// and source and destination do not overlap. The leaves have to outlive the plan.
    CopyPlan(const Leaf& from, const Dimensions& from_dims, const Leaf& to,
             const Dimensions& to_dims);

    index_t size() const noexcept { return size_; }

    /// Copies a part. Parts of adjoining [begin, end) adjoin, and those that make up [0, size()) copy
    /// every element once; which elements a part is made of is for the plan to choose. It is cheap
    /// to run a part of 64 KiB or more.
    void run(index_t begin, index_t end) const;
    void run() const { run(0, size_); }

    /// "copied in transposed tiles, loops (4096 4096), past the caches"
    std::string describe() const;

private:
    void run_boxes(index_t begin, index_t end) const;
    void run_streams(index_t begin, index_t end) const;

    const KernelTable& kernels_;
    Dimensions from_dims_; // lists of the boxes lie in them
    Dimensions to_dims_;
    std::byte* to_;
    const std::byte* from_;
    index_t to_stride_;
    index_t from_stride_;
    index_t size_;
    std::size_t element_bytes_;
    bool boolean_;
    bool streaming_ = false; ///< past the caches
    bool far_ = false;       ///< lists point into more than the second-level cache holds
    std::vector<CopyBox> boxes_;
    std::vector<std::vector<index_t>> lists_;
    // Where there are no boxes.
    std::optional<dimensions::AddressStream> from_stream_;
    std::optional<dimensions::AddressStream> to_stream_;
};

/// Whether a source is a leaf, and it and the destination memory of the same built-in type.
bool can_copy_leaf(const Operand& source, const Leaf& leaf, const Dimensions& dims);

/// Copies what a leaf holds to a destination that `can_copy_leaf`. They do not overlap.
void copy_leaf(const Operand& source, const Leaf& leaf, const Dimensions& dims);

/// How `copy_leaf` does it. Reads no element.
std::string describe_copy(const Operand& source, const Leaf& leaf, const Dimensions& dims);

} // namespace purview::engine
