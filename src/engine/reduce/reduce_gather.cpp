#include "engine/reduce/reduce_gather.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/folds/folds.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/ways/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// The most rows that are added one after the other.
constexpr index_t kRowsInSum = 128;
/// Rows of fewer elements are left to the general fold.
constexpr index_t kNarrowest = 4;

bool has_sum_kernel(DType dtype) {
    return dtype == float32 || dtype == float64 || dtype == int64 || dtype == uint64;
}

bool is_fixed(const Gather& gather, const Dimensions& view, std::size_t axis) {
    return std::ranges::all_of(gather.indexes(), [&](const Operand& index) {
        if (index.node->kind() == NodeKind::constant) return true;
        const Dimensions seen = dimensions::compose(view, index.dims);
        return seen.is_strided() && seen.strides()[axis] == 0;
    });
}

/// Adds partial sums of rows element by element.
template <typename T>
struct RowsFold {
    using Type = std::vector<T>;

    static Type combine(const Type& first, Type second) {
        for (std::size_t i = 0; i < second.size(); ++i)
            second[i] = Fold<T, Reduction::sum>::combine(second[i], first[i]);
        return second;
    }
    static Type identity() { return {}; }
};

} // namespace

template <typename T>
class BagSum {
public:
    explicit BagSum(const GatheredRows& bags)
        : bags_(bags), width_(bags.plan_->width()), rows_(*bags.plan_), kernels_(kernels()) {}

    void run(index_t begin, index_t end, T* out) {
        if (bags_.rows_ > kRowsInSum) {
            for (index_t bag = begin; bag < end; ++bag) sum_large_bag(bag, out + bag * width_);
            return;
        }
        const index_t some = std::max<index_t>(GatherRunner::kMostRows / bags_.rows_, 1);
        for (; begin < end; begin += some) {
            const index_t now = std::min(some, end - begin);
            const RowList rows = rows_.rows_in_memory(begin * bags_.rows_, now * bags_.rows_);
            for (index_t bag = 0; bag < now; ++bag)
                sum(rows, bag * bags_.rows_, bags_.rows_, out + (begin + bag) * width_);
        }
    }

private:
    void sum(const RowList& rows, index_t begin, index_t count, T* out) const {
        kernels_.sum_rows(std::floating_point<T>, sizeof(T), rows.first, rows.stride_bytes,
                          rows.list + begin, count, rows.length - begin, width_, out);
    }
    void sum_large_bag(index_t bag, T* out) {
        Cascade<RowsFold<T>> tree;
        for (index_t row = 0; row < bags_.rows_; row += GatherRunner::kMostRows) {
            const index_t listed = std::min(GatherRunner::kMostRows, bags_.rows_ - row);
            const RowList rows = rows_.rows_in_memory(bag * bags_.rows_ + row, listed);
            for (index_t at = 0; at < listed; at += kRowsInSum) {
                std::vector<T> part(static_cast<std::size_t>(width_));
                sum(rows, at, std::min(kRowsInSum, listed - at), part.data());
                tree.add(std::move(part));
            }
        }
        std::ranges::copy(tree.result(), out);
    }

    const GatheredRows& bags_;
    index_t width_;
    GatherRunner rows_;
    const KernelTable& kernels_;
};

// The last kept axes, if no index varies along them, are the rows, and move behind the summed axes.
std::optional<GatheredRows> GatheredRows::of(const Operand& source, index_t groups) {
    std::optional<GatheredRows> bags;
    const Gather* const gather = gather_of(source);
    if (gather == nullptr || source.dims.size() == 0 || !has_sum_kernel(source.dtype()) ||
        !source.dims.is_strided())
        return bags;
    const Dimensions& view = source.dims;
    const ShapeSpan shape = view.max_shape();
    const std::size_t kept = kept_axes(shape, groups);
    std::size_t first = kept;
    index_t width = 1;
    while (first > 0 && is_fixed(*gather, view, first - 1)) width *= shape[--first];
    if (width < kNarrowest) return bags;
    Shape extents;
    Shape strides;
    const auto add = [&](std::size_t begin, std::size_t end) {
        extents.insert(extents.end(), shape.begin() + static_cast<std::ptrdiff_t>(begin),
                       shape.begin() + static_cast<std::ptrdiff_t>(end));
        for (std::size_t axis = begin; axis < end; ++axis) strides.push_back(view.strides()[axis]);
    };
    add(0, first);
    add(kept, shape.size());
    add(first, kept);
    auto plan = std::make_unique<const GatherPlan>(
        *gather, Dimensions::strided(extents, strides, view.base()));
    if (!plan->has_lines() || plan->width() != width) return bags;
    bags = GatheredRows(source.dtype());
    bags->count_ = groups / width;
    bags->rows_ = plan->rows() / bags->count_;
    bags->plan_ = std::move(plan);
    return bags;
}

void GatheredRows::run(void* out) const {
    count_way(Way::gathered_rows);
    const double cost =
        static_cast<double>(plan_->rows()) *
        (costs::kGatheredRow +
         costs::kGatheredRowByte * static_cast<double>(plan_->width() * dtype_.size_bytes()));
    const int threads = plan_->is_thread_safe() ? worthwhile_threads(cost) : 1;
    const index_t grain = std::max<index_t>(GatherRunner::kMostRows / rows_, 1);
    visit_dtype(dtype_, "sum", [&]<typename T>(std::type_identity<T>) {
        if constexpr (sizeof(T) >= 4 && !std::same_as<T, std::int32_t> &&
                      !std::same_as<T, std::uint32_t>)
            parallel_for(count_, grain, threads, [&](index_t begin, index_t end) {
                BagSum<T>(*this).run(begin, end, static_cast<T*>(out));
            });
    });
}

std::string GatheredRows::describe() const {
    return fmt::format("{} rows added to each of {} as they are gathered; {}", rows_, count_,
                       plan_->describe());
}

} // namespace purview::engine
