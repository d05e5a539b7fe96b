#include "engine/selecting/scatter.hpp"

#include <purview/dtype/time_element.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "engine/gather/gather.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/selecting/scattered_values.hpp"
#include "engine/ways/way.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements that are written at a time, about.
constexpr index_t kElementsAtATime = 4096;
/// Rows of a block, at most: their indexes, read and copied, and values leave half of the first-level
/// cache to what is written.
constexpr index_t kMostRowsAtATime = GatherRunner::kMostRows / 2;
/// Rows that are written for each element of a destination that is worth keeping a copy of.
constexpr index_t kRowsForKeptElement = 8;

/// What an element becomes by a value. Sums of integers wrap; extremes are NaN if one of both is,
/// or, of `times`, NaT, which is the lowest count.
template <typename T>
T combined(ScatterKind how, T element, T value, bool times) {
    if (how == ScatterKind::add) {
        if constexpr (std::is_integral_v<T>) {
            using Wide = std::uint64_t;
            return static_cast<T>(static_cast<Wide>(element) + static_cast<Wide>(value));
        } else {
            return element + value;
        }
    }
    if (element != element) return element;
    if constexpr (std::is_integral_v<T>)
        if (times && (is_nat_count(element) || is_nat_count(value)))
            return std::min(element, value);
    const bool replaces = how == ScatterKind::least ? value < element : element < value;
    return replaces || value != value ? value : element;
}

/// Writes through a gather. All places are known to be in range before the first element is
/// written, or what was written before is put back.
class ScatterRun {
public:
    ScatterRun(const Gather& gather, const Dimensions& view, const Leaf& target,
               const Operand& written)
        : target_(target),
          destination_(gather.source().dims),
          size_(target.dtype().size_bytes()),
          times_(target.dtype() != target.dtype().counted_in()),
          plan_(gather, view),
          runner_(plan_) {
        const bool safe = std::ranges::none_of(
            gather.indexes(), [&](const Operand& index) { return may_overlap(index, written); });
        twice_ = safe && plan_.reads_indexes_in_place();
        may_be_direct_ =
            twice_ && target.writable_memory() && (plan_.width() == 1 || plan_.has_lines());
    }

    /// Elements of the values that `run` reads at a time, at most.
    index_t block() const noexcept { return rows_at_a_time() * plan_.width(); }

    /// Whether a copy of the whole destination costs less than another pass over the indexes, so that
    /// these are checked as elements are written.
    bool costs_less_to_take_back() const noexcept {
        return may_be_direct_ && plan_.rows() > GatherRunner::kMostRows &&
               plan_.unchecked_rows().indexes != nullptr && destination_.size() > 0 &&
               destination_.size() <= plan_.rows() / kRowsForKeptElement &&
               is_line(target_.writable_memory(), target_.dtype(), destination_);
    }

    /// Finds all places before anything is written. Throws `IndexError`.
    void find_places() {
        if (may_be_direct_) direct_ = are_inside();
        if (direct_) return;
        // Indexes in memory are read twice: that is cheaper than to keep the addresses.
        if (!twice_)
            rows_ =
                std::make_unique_for_overwrite<index_t[]>(static_cast<std::size_t>(plan_.rows()));
        for (index_t row = 0; row < plan_.rows(); row += GatherRunner::kMostRows) {
            const index_t count = std::min(GatherRunner::kMostRows, plan_.rows() - row);
            const index_t* const found = runner_.addresses(row, count);
            if (!twice_) std::copy_n(found, count, rows_.get() + row);
        }
    }

    /// `run` without `find_places`. Throws `IndexError` with the destination as it was.
    /// Precondition: `costs_less_to_take_back()`.
    void run_or_take_back(ScatterKind how, ScatteredValues& values) {
        direct_ = true;
        const std::byte* const first =
            static_cast<const std::byte*>(target_.memory().data) + destination_.base() * size_;
        const std::vector<std::byte> kept(first, first + destination_.size() * size_);
        try {
            run(how, values);
        } catch (...) {
            put_back(first, kept);
            throw;
        }
    }

    void run(ScatterKind how, ScatteredValues& values) {
        const index_t width = plan_.width();
        const index_t some = rows_at_a_time();
        for (index_t row = 0; row < plan_.rows(); row += some) {
            const index_t count = std::min(some, plan_.rows() - row);
            write_rows(how, values.read(row * width, count * width), row, count);
        }
    }

private:
    /// Only rows that the indexes name come back: other elements may be written by other threads.
    void put_back(const std::byte* first, const std::vector<std::byte>& kept) const {
        const UncheckedRows rows = plan_.unchecked_rows();
        const auto bytes = static_cast<std::size_t>(plan_.width() * size_);
        for (index_t row = 0; row < plan_.rows(); ++row) {
            const volatile index_t& listed = rows.indexes[row]; // read once: others may write to it
            const index_t index = listed;
            const index_t at = index < 0 ? index + rows.extent : index;
            if (at < 0 || at >= rows.extent) continue;
            const std::byte* const place = rows.first + at * rows.stride_bytes;
            std::memcpy(const_cast<std::byte*>(place), kept.data() + (place - first), bytes);
        }
    }

    /// Whether the indexes of all rows serve as they are.
    bool are_inside() {
        for (index_t row = 0; row < plan_.rows(); row += GatherRunner::kMostRows)
            if (!runner_.are_inside(row, std::min(GatherRunner::kMostRows, plan_.rows() - row)))
                return false;
        return true;
    }

    index_t rows_at_a_time() const noexcept {
        return std::clamp(kElementsAtATime / std::max<index_t>(plan_.width(), 1), index_t{1},
                          kMostRowsAtATime);
    }

    void write_rows(ScatterKind how, const std::byte* values, index_t row, index_t count) {
        const index_t width = plan_.width();
        if (direct_ && how == ScatterKind::add && width == 1) {
            const index_t added = add_at_indexes(values, row, count);
            if (added == count) return;
            values += added * size_;
            row += added;
            count -= added;
        }
        if (direct_)
            if (const RowList rows = runner_.rows_at_indexes(row, count); rows.list != nullptr)
                return write_to_memory(how, values, rows.list, count, width,
                                       const_cast<std::byte*>(rows.first), rows.stride_bytes);
        index_t* const addresses = rows_ != nullptr
                                       ? rows_.get() + row
                                       : const_cast<index_t*>(runner_.addresses(row, count));
        if (width == 1) runner_.to_reader(addresses, count);
        if (width == 1 || plan_.has_lines()) return write(how, values, addresses, count, width);
        if (inside_ == nullptr)
            inside_ = std::make_unique_for_overwrite<index_t[]>(
                static_cast<std::size_t>(std::min(width, GatherRunner::kMostRows)));
        for (index_t i = 0; i < count; ++i)
            for (index_t at = 0; at < width; at += GatherRunner::kMostRows) {
                const index_t some = std::min(width - at, GatherRunner::kMostRows);
                runner_.addresses_inside(addresses[i], at, some, inside_.get());
                runner_.to_reader(inside_.get(), some);
                write(how, values, inside_.get(), some, 1);
                values += some * size_;
            }
    }

    /// Adds single elements as long as indexes in memory serve as they are; returns how many.
    index_t add_at_indexes(const std::byte* values, index_t row, index_t count) const {
        const UncheckedRows rows = plan_.unchecked_rows();
        if (rows.indexes == nullptr) return 0;
        return kernels().add_inside(adds_floats(), static_cast<std::size_t>(size_), values, count,
                                    const_cast<std::byte*>(rows.first), rows.stride_bytes,
                                    rows.indexes + row, rows.extent);
    }

    bool adds_floats() const noexcept {
        return target_.dtype() == float32 || target_.dtype() == float64;
    }

    /// `width` values for each of `count` addresses.
    void write(ScatterKind how, const std::byte* values, const index_t* addresses, index_t count,
               index_t width) {
        const MutableMemoryView memory = target_.writable_memory();
        if (!target_.dtype().counted_in().is_builtin() || !memory)
            return write_elements(how, values, addresses, count);
        write_to_memory(how, values, addresses, count, width, static_cast<std::byte*>(memory.data),
                        memory.stride_bytes);
    }

    /// The same at `stride * addresses[i]` bytes behind `memory`.
    void write_to_memory(ScatterKind how, const std::byte* values, const index_t* addresses,
                         index_t count, index_t width, std::byte* memory, index_t stride) const {
        const auto bytes = static_cast<std::size_t>(width * size_);
        if (how == ScatterKind::assign)
            kernels().copy_indexed(bytes, values, static_cast<index_t>(bytes), nullptr, memory,
                                   stride, addresses, count, plan_.is_far(), false);
        else if (how != ScatterKind::add)
            combine_rows(how, values, addresses, count, width, memory, stride);
        else
            kernels().add_rows(adds_floats(), static_cast<std::size_t>(size_), values, count, width,
                               memory, stride, addresses);
    }

    void combine_rows(ScatterKind how, const std::byte* values, const index_t* addresses,
                      index_t count, index_t width, std::byte* memory, index_t stride) const {
        visit_dtype(target_.dtype().counted_in(), "scatter",
                    [&]<typename T>(std::type_identity<T>) {
                        for (index_t i = 0; i < count; ++i) {
                            std::byte* const row = memory + stride * addresses[i];
                            for (index_t k = 0; k < width; ++k, values += sizeof(T)) {
                                T element;
                                T value;
                                std::byte* const place = row + k * static_cast<index_t>(sizeof(T));
                                std::memcpy(&element, place, sizeof(T)); // at any address
                                std::memcpy(&value, values, sizeof(T));
                                element = combined(how, element, value, times_);
                                std::memcpy(place, &element, sizeof(T));
                            }
                        }
                    });
    }

    void write_elements(ScatterKind how, const std::byte* values, const index_t* addresses,
                        index_t count) {
        AnyWriter& writer = *target_.writer();
        if (how == ScatterKind::assign)
            return writer.scatter_from({addresses, static_cast<std::size_t>(count)}, values);
        visit_dtype(
            target_.dtype().counted_in(), "scatter", [&]<typename T>(std::type_identity<T>) {
                for (index_t i = 0; i < count; ++i) {
                    const std::span<const index_t> place(addresses + i, 1);
                    T element{};
                    target_.reader().gather_into(place, &element);
                    element = combined(how, element, reinterpret_cast<const T*>(values)[i], times_);
                    writer.scatter_from(place, &element);
                }
            });
    }

    const Leaf& target_;
    const Dimensions& destination_; ///< what the indexes name elements of
    index_t size_;
    bool times_; ///< durations or time points, which are combined as their counts
    GatherPlan plan_;
    GatherRunner runner_;
    bool twice_ = false;              ///< whether indexes are in memory that is not written to
    bool may_be_direct_ = false;      ///< whether it is worth looking if `direct_`
    bool direct_ = false;             ///< whether the indexes themselves may say where rows are
    std::unique_ptr<index_t[]> rows_; ///< addresses of the rows, if they are kept
    std::unique_ptr<index_t[]> inside_;
};

} // namespace

void engine::scatter_to_gather(ScatterKind how, const Operand& source, const Gather& gather,
                               const Dimensions& view) {
    const Leaf& target = *leaf_of(gather.source());
    const index_t size = target.size();
    const Operand whole{gather.source().node, Dimensions::row_major(ShapeSpan(&size, 1))};
    ScatterRun run(gather, view, target, whole);
    ScatteredValues values(source, whole, run.block());
    const bool takes_back = values.is_ready() && run.costs_less_to_take_back();
    if (!takes_back) run.find_places();
    values.make_ready();
    count_way(Way::scattered);
    if (takes_back)
        run.run_or_take_back(how, values);
    else if (view.size() > 0)
        run.run(how, values);
}

} // namespace purview
