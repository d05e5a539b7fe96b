#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/copy/copy_cover.hpp"
#include "engine/copy/copy_walk.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace purview::inline v0_1::engine {

/// How to copy from memory to memory of one built-in type, through any views, worked out once. Runs
/// as a whole or in parts, from any number of threads.
class CopyPlan {
public:
    /// Both leaves have memory, that of the destination can be written, and their dtypes are one
    /// built-in type. The views have one shape, no two elements of the destination share an
    /// address, and source and destination do not overlap. The leaves have to outlive the plan.
    CopyPlan(const Leaf& from, const Dimensions& from_dims, const Leaf& to,
             const Dimensions& to_dims);

    index_t size() const noexcept { return size_; }

    /// Copies a part. Ranges [begin, end) that adjoin copy parts that adjoin, and ranges that make
    /// up [0, size()) copy every element once; which elements a part is made of is up to the plan.
    /// A part of 64 KiB or more costs little beside its copy.
    void run(index_t begin, index_t end) const;
    /// Copies everything, on several threads where that pays.
    void run() const;

    /// The way it is done, in words: "copied in transposed tiles, loops (4096 4096), past the
    /// caches".
    std::string describe() const;

private:
    void run_streams(index_t begin, index_t end) const;

    std::byte* to_;
    const std::byte* from_;
    index_t to_stride_;
    index_t from_stride_;
    index_t size_;
    bool boolean_;
    CopyMoves moves_;
    CopyCover cover_;
    // Boxes of axes with maps point into the lists of these views:
    Dimensions from_dims_;
    Dimensions to_dims_;
    // For copies without boxes:
    std::optional<dimensions::AddressStream> from_stream_;
    std::optional<dimensions::AddressStream> to_stream_;
};

/// How a leaf is assigned to a view of a leaf of the same shape by copying memory.
enum class CopyForm : std::uint8_t {
    none, ///< not so: there is no element, one side is not memory of words of one type, a write could
          ///< change what is read, or the destination has a repeated axis (stride 0)
    move, ///< both sides are contiguous: at once, even where they overlap
    same, ///< each element is copied to itself
    plan  ///< by a `CopyPlan`
};
/// Reads no element.
CopyForm copy_form(const Operand& source, const Operand& destination);

/// What is done where `copy_form` is `move`.
void move_leaf(const Operand& source, const Operand& destination);

} // namespace purview::engine
