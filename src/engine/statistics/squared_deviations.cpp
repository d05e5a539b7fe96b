// Defines purview/evaluation/statistics.hpp.

#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include "dtype/element_block.hpp"
#include "engine/kernels/table/kernel_table.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/threads/branches.hpp"
#include "evaluation/other_backend.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements per chunk: a chunk is read twice, the second time from the first-level cache.
constexpr index_t kDeviationsChunk = 4096;

/// Groups that are shorter, or columns of long rows, are reduced to their means first
/// (`in_two_passes`).
constexpr index_t kLongDeviationsGroup = 512;

/// The moments of float32 elements, to 7 digits; those of float64 are computed by `moments`, to 12
/// digits.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0; ///< of the differences from the mean
};
/// Chan, Golub and LeVeque (1979).
struct MomentsFold {
    using Type = Moments;
    static Moments identity() { return {}; }
    static Moments combine(const Moments& a, const Moments& b) {
        const double count = a.count + b.count;
        const double shift = b.mean - a.mean;
        return {count, a.mean + shift * (b.count / count),
                a.squares + b.squares + shift * shift * (a.count * (b.count / count))};
    }
};

const FoldKind& sum_of_float32() { return fold_kind(Reduction::sum, float32); }

Operand squared_difference(const Operand& x, const Operand& y) {
    const Operand difference = elementwise<2>(Op::subtract, x.dtype(), {x, y});
    return elementwise<1>(Op::square, x.dtype(), {difference});
}

/// The element at `value`, broadcast to `shape`.
Operand repeated_constant(DType dtype, void* value, ShapeSpan shape) {
    return {memory_leaf(dtype, value, 1), Dimensions::strided(shape, Shape(shape.size(), 0))};
}

/// Moments of ranges of a source that is cheap to read twice: the sum, then the squares of the
/// differences from the mean rounded to float32 (`centre_`), corrected for that rounding.
class ChunkMoments {
public:
    explicit ChunkMoments(const Operand& source)
        : sum_(sum_of_float32(), source),
          squares_of_(squared_difference(
              source, repeated_constant(float32, centre_.get(), source.dims.max_shape()))),
          squares_(sum_of_float32(), squares_of_) {}

    Moments operator()(index_t begin, index_t count) {
        const auto n = static_cast<double>(count);
        const double mean = static_cast<double>(sum_(begin, count).as<float>()) / n;
        *centre_ = static_cast<float>(mean);
        const double off = mean - static_cast<double>(*centre_);
        const auto squares = static_cast<double>(squares_(begin, count).as<float>());
        return {n, mean, std::max(squares - n * off * off, std::min(squares, 0.0))};
    }

    const Plan& plan() const noexcept { return sum_.plan(); }

private:
    std::unique_ptr<float> centre_ = std::make_unique<float>();
    RangeFold sum_;
    Operand squares_of_;
    RangeFold squares_;
};

/// Whether the elements are rows of at least kShortestRow contiguous elements in memory, which are
/// read in place.
bool lies_in_memory(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    return leaf != nullptr && leaf->memory() && source.dims.is_strided() &&
           source.dims.rank() > 0 &&
           source.dims.strides().back() * leaf->memory().stride_bytes ==
               leaf->dtype().size_bytes() &&
           source.dims.max_shape().back() >= kShortestRow;
}

class Deviations {
public:
    explicit Deviations(const Operand& source) {
        if (lies_in_memory(source)) {
            moments_.emplace(source);
            return;
        }
        compute_.emplace(source);
        chunk_.emplace(float32, kDeviationsChunk);
        moments_.emplace(memory_operand(float32, chunk_->data(), Shape{kDeviationsChunk}));
    }

    /// The number of threads that pays for `count` elements, each of which is read twice.
    int threads(index_t count) const {
        return compute_ ? threads_for(compute_->plan(), count)
                        : threads_for(moments_->plan(), 2 * count);
    }

    Moments operator()(index_t begin, index_t length, index_t) {
        if (!compute_) return (*moments_)(begin, length);
        (*compute_)(begin, length, chunk_->data());
        return (*moments_)(0, length);
    }

private:
    std::optional<RangeStore> compute_;
    std::optional<ElementBlock> chunk_;
    std::optional<ChunkMoments> moments_;
};

/// Means first, then the squares of the differences from them.
void in_two_passes(const Operand& source, index_t groups, float* out) {
    const index_t group = source.dims.size() / groups;
    std::vector<float> means(static_cast<std::size_t>(groups));
    reduce_groups(Reduction::sum, source, groups, means.data());
    for (float& mean : means) mean /= static_cast<float>(group);
    const Operand mean{memory_leaf(float32, means.data(), groups),
                       dimensions::repeated_groups(source.dims.max_shape(), groups)};
    reduce_groups(Reduction::sum, squared_difference(source, mean), groups, out);
}

void by_chunks(const Operand& source, index_t groups, float* out) {
    const index_t size = source.dims.size();
    const auto make = [&] { return Deviations(source); };
    Deviations first = make();
    fold_groups<MomentsFold>(
        groups, size / groups, kDeviationsChunk, first.threads(size), first, make,
        [&](index_t g, const Moments& all) { out[g] = static_cast<float>(all.squares); });
}

/// By the moments of float64: of all groups, or of few columns.
template <typename T>
void by_moments(const Operand& source, index_t groups, T* out) {
    std::vector<PartMoments> parts(static_cast<std::size_t>(groups));
    moments(cast_operand(source, float64, Op::cast), groups, {.power = 2, .extremes = false},
            parts.data());
    for (const PartMoments& part : parts) *out++ = static_cast<T>(part.in_units(part.squares, 2));
}

void deviations(const Operand& source, index_t groups, float* out) {
    const index_t group = source.dims.size() / groups;
    ArrangedSource arranged;
    const bool strided = arrange(source, groups, arranged);
    if (groups == 1) {
        by_chunks(strided ? arranged.source.operand() : source, 1, out);
    } else if (group >= kLongDeviationsGroup && (!strided || !arranged.source.axes.back().kept)) {
        by_chunks(source, groups, out);
    } else if (group >= kLongDeviationsGroup && arranged.columns() <= kMostColumnsOfSums) {
        by_moments(source, groups, out);
    } else {
        in_two_passes(source, groups, out);
    }
}

/// Where the source and the results lie: in float64, corrected for the rounding of the means.
void deviations_elsewhere(const Operand& source, index_t groups, const Destination& out) {
    const WatchedOperation watched("variance");
    const ShapeSpan line(&groups, 1);
    const auto new_line = [&] { return results_like("variance", source, float64, line); };
    const auto of_two = [](Op op, const Operand& x, const Operand& y) {
        return elementwise<2>(op, float64, {x, y});
    };
    const Operand x = cast_operand(source, float64, Op::cast);
    const Operand means = new_line();
    average(x, groups, means);
    const Operand off =
        of_two(Op::subtract, x,
               {means.node, dimensions::repeated_groups(source.dims.max_shape(), groups)});
    const Operand rest = new_line();
    reduce_groups(Reduction::sum, off, groups, rest);
    const Operand squares = new_line();
    reduce_groups(Reduction::sum, of_two(Op::multiply, off, off), groups, squares);
    const Operand count = constant_operand(static_cast<double>(source.dims.size() / groups), line);
    const Operand corrected =
        of_two(Op::subtract, squares, of_two(Op::multiply, rest, of_two(Op::divide, rest, count)));
    const Operand positive = of_two(Op::maximum, corrected, constant_operand(0., line));
    reduce_groups(Reduction::maximum, cast_operand(positive, source.dtype(), Op::cast), groups,
                  out); // each is folded to itself
}

void deviations_in_memory(const Operand& given, index_t groups, void* out) {
    const EnteredOperation entered("variance", given);
    const Operand& source = *entered;
    if (source.dims.size() == 0) {
        std::fill_n(static_cast<std::byte*>(out), groups * source.dtype().size_bytes(),
                    std::byte{0});
    } else if (is_sparse(source)) {
        squared_deviations_sparse(source, groups)->read_into(0, 1, groups, out);
    } else if (source.dtype() == float32) {
        deviations(source, groups, static_cast<float*>(out));
    } else {
        by_moments(source, groups, static_cast<double*>(out));
    }
}

} // namespace

void squared_deviations(const Operand& source, index_t groups, const Destination& out) {
    if (lies_elsewhere(source) && source.dims.size() > 0 && !is_sparse(source)) [[unlikely]]
        return deviations_elsewhere(source, groups, out);
    compute_into(out, source.dtype(), groups,
                 [&](void* squares) { deviations_in_memory(source, groups, squares); });
}

} // namespace purview
