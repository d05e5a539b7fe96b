#include "engine/sparse/selection.hpp"
#include "engine/places/buffers.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// In larger sets, the intervals of 65,536 indexes that a set is made of take more than 100 MB.
constexpr index_t kLargestTrueSet = index_t{1} << 36;

/// The stored bools of a sparse operand.
class StoredBools {
public:
    StoredBools(const Operand& source, const char* what)
        : pairs_(source, what),
          values_(std::make_unique<bool[]>(static_cast<std::size_t>(pairs_.stored()))) {
        if (pairs_.stored() > 0)
            Evaluation(pairs_.values()).read(0, pairs_.stored(), values_.get());
        if (pairs_.stored() < pairs_.size()) Evaluation(pairs_.fill()).read(0, 1, &fill_);
    }

    bool fill() const noexcept { return fill_; }
    index_t size() const noexcept { return pairs_.size(); }
    index_t stored() const noexcept { return pairs_.stored(); }
    index_t index(index_t i) const noexcept {
        return static_cast<const index_t*>(pairs_.indexes()->memory().data)[i];
    }
    bool value(index_t i) const noexcept { return values_[static_cast<std::size_t>(i)]; }

    /// Throws `KindError` where the fill is true and there are more than `most` elements.
    void check_true(const char* what, index_t most) const {
        if (fill() && size() > most)
            throw KindError(fmt::format("{}: the fill is true, and with it nearly all of {} "
                                        "elements; take what is false",
                                        what, size()));
    }

    /// The indexes of the stored elements that are `wanted`.
    BufferPtr<std::int64_t> positions(bool wanted) const {
        index_t count = 0;
        for (index_t i = 0; i < stored(); ++i) count += value(i) == wanted;
        BufferPtr<std::int64_t> result = allocate_uninitialized_buffer<std::int64_t>(count);
        auto* out = data_of(result);
        for (index_t i = 0; i < stored(); ++i)
            if (value(i) == wanted) *out++ = index(i);
        return result;
    }

private:
    SparseEvaluation pairs_;
    std::unique_ptr<bool[]> values_;
    bool fill_ = false;
};

IndexSet set_of(const BufferPtr<std::int64_t>& positions) {
    return IndexSet(std::span<const index_t>(static_cast<const index_t*>(positions->memory().data),
                                             static_cast<std::size_t>(positions->size())));
}

} // namespace

BufferPtr<std::int64_t> true_positions_sparse(const Operand& source) {
    const StoredBools bools(source, "argfilter");
    bools.check_true("argfilter", kLargestDenseOfSparse);
    return bools.fill() ? nullptr : bools.positions(true);
}

IndexSet true_set_sparse(const Operand& source) {
    const StoredBools bools(source, "index_set");
    bools.check_true("index_set", kLargestTrueSet);
    if (!bools.fill()) return set_of(bools.positions(true));
    return set_of(bools.positions(false)).complement(0, bools.size());
}

index_t first_true_sparse(const Operand& source) {
    const StoredBools bools(source, "first_true");
    index_t next = 0; // the first index of which nothing has been seen
    for (index_t i = 0; i < bools.stored(); ++i) {
        if (bools.fill() && bools.index(i) > next) return next;
        if (bools.value(i)) return bools.index(i);
        next = bools.index(i) + 1;
    }
    return bools.fill() && next < bools.size() ? next : -1;
}

} // namespace purview::engine
