#include "engine/copy.hpp"

#include <purview/base/errors.hpp>

#include "engine/kernels/selection.hpp"
#include "engine/runner.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace purview::engine {
namespace {

/// Copies of at least this many bytes go past the caches.
constexpr index_t kStreamed = index_t{16} << 20;

/// Two strided blocks of memory, walked together. Operand 0 of the space is the destination.
class Copy {
public:
    Copy(const KernelTable& kernels, const Space& space, std::size_t element_bytes, std::byte* to,
         index_t to_stride, const std::byte* from, index_t from_stride)
        : kernels_(kernels), space_(space), bytes_(element_bytes), to_(to), from_(from) {
        const auto& out = space.operands[0];
        const auto& in = space.operands[1];
        to_ += out.base * to_stride;
        from_ += in.base * from_stride;
        for (std::size_t axis = 0; axis < space.rank(); ++axis) {
            to_strides_.push_back(out.strides[axis] * to_stride);
            from_strides_.push_back(in.strides[axis] * from_stride);
        }
        streaming_ = space.size() * static_cast<index_t>(bytes_) >= kStreamed;
    }

    void run() {
        const std::size_t rank = space_.rank();
        if (rank == 0) {
            std::memcpy(to_, from_, bytes_);
            return;
        }
        if (rank == 1) return row(to_, from_, space_.extents[0]);
        walk(0, partner(), to_, from_);
    }

    std::string describe() const {
        const std::size_t rank = space_.rank();
        if (rank == 0) return "one element copied";
        const std::size_t inner = rank - 1;
        const bool lines = to_strides_[inner] == size() && from_strides_[inner] == size();
        std::string text =
            rank > 1 && is_transposed(partner()) ? "copied in transposed tiles"
            : lines && (rank == 1 || is_long(inner))
                ? fmt::format("copied in runs of {} bytes", space_.extents[inner] * size())
            : rank == 1 ? "copied by strides"
                        : "copied in rectangles";
        text += fmt::format(", loops {}", to_string(space_.extents));
        return streaming_ ? text + ", past the caches" : text;
    }

private:
    index_t size() const { return static_cast<index_t>(bytes_); }

    /// The axis of the source's smallest stride, if it is not innermost in the destination, is
    /// transposed with the innermost one; all others are walked.
    std::size_t partner() const {
        const std::size_t rank = space_.rank();
        std::size_t partner = rank - 2;
        if (from_strides_[rank - 1] != size())
            for (std::size_t axis = 0; axis + 1 < rank; ++axis)
                if (from_strides_[axis] == size()) partner = axis;
        return partner;
    }
    bool is_transposed(std::size_t partner) const {
        const std::size_t inner = space_.rank() - 1;
        return to_strides_[inner] == size() && from_strides_[partner] == size() &&
               from_strides_[inner] != size();
    }
    bool is_long(std::size_t axis) const { return space_.extents[axis] * size() >= 256; }

    void walk(std::size_t axis, std::size_t partner, std::byte* to, const std::byte* from) {
        if (axis == partner) ++axis;
        if (axis + 1 == space_.rank()) return plane(partner, to, from);
        for (index_t i = 0; i < space_.extents[axis]; ++i)
            walk(axis + 1, partner, to + i * to_strides_[axis], from + i * from_strides_[axis]);
    }

    void plane(std::size_t partner, std::byte* to, const std::byte* from) {
        const std::size_t inner = space_.rank() - 1;
        const index_t rows = space_.extents[partner];
        const index_t columns = space_.extents[inner];
        if (is_transposed(partner)) {
            // out[c][r] = in[r][c]: a row of the input is what lies along its unit stride.
            kernels_.transpose_2d(bytes_, from, from_strides_[inner], to, to_strides_[partner],
                                  columns, rows, streaming_);
        } else if (is_long(inner) && to_strides_[inner] == size() &&
                   from_strides_[inner] == size()) {
            for (index_t i = 0; i < rows; ++i)
                row(to + i * to_strides_[partner], from + i * from_strides_[partner], columns);
        } else {
            const std::array out{to_strides_[partner], to_strides_[inner]};
            const std::array in{from_strides_[partner], from_strides_[inner]};
            kernels_.copy_2d(bytes_, from, in.data(), to, out.data(), rows, columns);
        }
    }

    void row(std::byte* to, const std::byte* from, index_t count) {
        const std::size_t axis = space_.rank() - 1;
        const index_t out = to_strides_[axis];
        const index_t in = from_strides_[axis];
        const std::size_t total = static_cast<std::size_t>(count) * bytes_;
        if (out == size() && in == size())
            streaming_ ? kernels_.copy_streaming(from, to, total)
                       : static_cast<void>(std::memcpy(to, from, total));
        else if (out == size())
            kernels_.load_strided(bytes_, from, in, to, count);
        else if (in == size())
            kernels_.store_strided(bytes_, from, to, out, count);
        else {
            const std::array outs{index_t{0}, out};
            const std::array ins{index_t{0}, in};
            kernels_.copy_2d(bytes_, from, ins.data(), to, outs.data(), 1, count);
        }
    }

    const KernelTable& kernels_;
    const Space& space_;
    std::size_t bytes_;
    std::byte* to_;
    const std::byte* from_;
    boost::container::small_vector<index_t, kInlineRank> to_strides_;
    boost::container::small_vector<index_t, kInlineRank> from_strides_;
    bool streaming_ = false;
};

} // namespace

bool can_copy_strided(const Operand& source, const Leaf& leaf) {
    const Leaf* const from = leaf_of(source);
    // A foreign bool may be any byte, and becomes 0 or 1 when it is copied.
    return from != nullptr && from->memory() && source.dims.is_strided() && leaf.dtype() != boolean;
}

namespace {

Copy copy_of(const Space& space, const Leaf& from, const Leaf& to) {
    return Copy(kernels(), space, static_cast<std::size_t>(to.dtype().size_bytes()),
                static_cast<std::byte*>(to.writable_memory().data),
                to.writable_memory().stride_bytes,
                static_cast<const std::byte*>(from.memory().data), from.memory().stride_bytes);
}

Space space_of(const Operand& source, const Dimensions& dims) {
    const std::array operands{&dims, &source.dims};
    return make_space(operands, Walk::any_order);
}

} // namespace

void copy_strided(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const Space space = space_of(source, dims);
    copy_of(space, *leaf_of(source), leaf).run();
}

std::string describe_copy(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const Space space = space_of(source, dims);
    return copy_of(space, *leaf_of(source), leaf).describe();
}

} // namespace purview::engine
