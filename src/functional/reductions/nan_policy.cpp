#include <purview/base/errors.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/functional/reductions/reduced_pair.hpp>
#include <purview/functional/reductions/statistics.hpp>

#include "dtype/element_block.hpp"
#include "evaluation/numbers_only.hpp"
#include "functional/reductions/found_nan.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The number of elements that are compacted at a time, unless a single group has more.
constexpr index_t kNanBlock = index_t{1} << 18;

template <typename Word>
void compact_words(const std::byte* from, const std::uint8_t* kept, index_t count, std::byte* to) {
    for (index_t i = 0; i < count; ++i) {
        if (kept[i] == 0) continue;
        std::memcpy(to, from + i * index_t{sizeof(Word)}, sizeof(Word));
        to += sizeof(Word);
    }
}
void compact(index_t size, const std::byte* from, const std::uint8_t* kept, index_t count,
             std::byte* to) {
    switch (size) {
    case 1: return compact_words<std::uint8_t>(from, kept, count, to);
    case 2: return compact_words<std::uint16_t>(from, kept, count, to);
    case 4: return compact_words<std::uint32_t>(from, kept, count, to);
    default: return compact_words<std::uint64_t>(from, kept, count, to);
    }
}

/// Applies `work` to the elements of operands of one shape for which `kept` is true.
class KeptElements {
public:
    KeptElements(std::span<const Operand> sources, const Operand& kept, index_t groups)
        : sources_(sources),
          kept_(kept),
          groups_(groups),
          length_(kept.dims.size() / groups),
          together_(std::clamp<index_t>(kNanBlock / std::max<index_t>(length_, 1), 1, groups)),
          is_kept_(static_cast<std::size_t>(together_ * length_)),
          counts_(static_cast<std::size_t>(together_)) {}

    /// Calls `work(operands, groups)` with memory of shape `[groups, count]`, for groups with equal
    /// counts.
    template <typename Work>
    Operand reduce(const Shape& shape, Work work) {
        const Evaluation kept(cast_operand(kept_, uint8, Op::cast));
        std::vector<Evaluation> evaluations;
        std::vector<std::unique_ptr<ElementBlock>> blocks;
        for (const Operand& source : sources_) {
            evaluations.emplace_back(source);
            blocks.push_back(std::make_unique<ElementBlock>(source.dtype(), together_ * length_));
        }
        for (index_t first = 0; first < groups_; first += together_) {
            const index_t count = std::min(together_, groups_ - first);
            kept.read(first * length_, count * length_, is_kept_.data());
            for (std::size_t s = 0; s < blocks.size(); ++s)
                evaluations[s].read(first * length_, count * length_, blocks[s]->data());
            for (const std::vector<index_t>& batch : by_count(count)) {
                std::vector<Operand> operands;
                for (std::size_t s = 0; s < blocks.size(); ++s)
                    operands.push_back(batched(batch, sources_[s].dtype(), *blocks[s]));
                put(batch, first, work(operands, rows_for(batch)), shape);
            }
        }
        return result_;
    }

private:
    std::span<const std::uint8_t> kept_in(index_t group) const {
        return std::span(is_kept_).subspan(static_cast<std::size_t>(group * length_),
                                           static_cast<std::size_t>(length_));
    }
    index_t& count_in(index_t group) { return counts_[static_cast<std::size_t>(group)]; }

    /// The groups, listed by the number of their kept elements.
    std::vector<std::vector<index_t>> by_count(index_t groups) {
        for (index_t g = 0; g < groups; ++g) {
            const auto kept = kept_in(g);
            count_in(g) = std::reduce(kept.begin(), kept.end(), index_t{0});
        }
        std::vector<index_t> order(static_cast<std::size_t>(groups));
        std::iota(order.begin(), order.end(), index_t{0});
        std::ranges::sort(order, {}, [&](index_t g) { return std::pair(count_in(g), g); });
        std::vector<std::vector<index_t>> batches;
        for (const index_t g : order) {
            if (batches.empty() || count_in(batches.back().front()) != count_in(g))
                batches.emplace_back();
            batches.back().push_back(g);
        }
        return batches;
    }

    /// A single group is folded in another order than each of several: one of several that is alone is there twice, so that
    /// its bits do not depend on the others.
    index_t rows_for(const std::vector<index_t>& batch) const {
        return batch.size() == 1 && groups_ > 1 ? 2 : std::ssize(batch);
    }

    Operand batched(const std::vector<index_t>& batch, DType dtype, ElementBlock& block) {
        const Operand memory =
            empty_of("skip_nan", dtype, Shape{rows_for(batch), count_in(batch.front())});
        if (memory.dims.size() == 0) return memory;
        const index_t size = dtype.size_bytes();
        std::byte* to = memory_of(memory);
        for (index_t row = 0; row < rows_for(batch); ++row) {
            const index_t g = batch[std::min(static_cast<std::size_t>(row), batch.size() - 1)];
            compact(size, block.at(g * length_), kept_in(g).data(), length_, to);
            to += count_in(g) * size;
        }
        return memory;
    }

    /// Writes the results of a batch of groups to the places of these groups.
    void put(const std::vector<index_t>& batch, index_t first, const Operand& made,
             const Shape& shape) {
        const index_t width = made.dims.size() / rows_for(batch);
        if (out_ == nullptr) {
            Shape all = shape;
            if (made.dims.rank() > 1) all.push_back(width);
            result_ = empty_of("skip_nan", made.dtype(), all);
            if (width == 0) return;
            out_ = memory_of(result_);
        }
        ElementBlock results(made.dtype(), made.dims.size());
        Evaluation(made).read(0, made.dims.size(), results.data());
        const index_t bytes = width * made.dtype().size_bytes();
        for (std::size_t i = 0; i < batch.size(); ++i)
            std::memcpy(out_ + (first + batch[i]) * bytes,
                        results.at(static_cast<index_t>(i) * width),
                        static_cast<std::size_t>(bytes));
    }

    std::span<const Operand> sources_;
    Operand kept_;
    index_t groups_;
    index_t length_;
    index_t together_;
    std::vector<std::uint8_t> is_kept_;
    std::vector<index_t> counts_;
    Operand result_;
    std::byte* out_ = nullptr;
};

bool is_time(DType dtype) { return dtype.counted_in() != dtype; }

/// A reduction of a dense or sparse operand to one integer.
std::int64_t reduced_number(const BuiltInReduction& reduction, const Operand& x) {
    return number_in(Tensor<std::int64_t>(reduce_view(reduction, reduced_view(x), NanRule::keep)));
}

bool all_true(const Operand& bools) {
    return reduced_number(count_reduction(), bools) == bools.dims.size();
}

} // namespace

Operand is_not_nan(const Operand& x) {
    if (is_time(x.dtype())) return unary_operand(Op::logical_not, nat_mask(x), boolean);
    return is_number(x);
}

void throw_nan_rule(const char* what, DType dtype) {
    throw DtypeError(
        fmt::format("{}: skipping or refusing NaN is for real numbers, and not for {}: "
                    "take real(z) and imag(z)",
                    what, dtype.name()));
}

void require_no_nan(const char* what, const Operand& x, const DimVector& bound) {
    if (is_complex(x.dtype())) throw_nan_rule(what, x.dtype());
    if (!(x.dtype().is_floating() || is_time(x.dtype())) || x.dims.size() == 0) return;
    const Operand not_nan = is_not_nan(x);
    if (all_true(not_nan)) return;
    throw_found_nan(what, x, reduced_number(arg_reduction(Extreme::least, false), not_nan), bound);
}

void throw_found_nan(const char* what, const Operand& x, index_t place, const DimVector& bound) {
    const ShapeSpan extents = x.dims.max_shape();
    Shape index(extents.begin(), extents.end());
    for (auto axis = index.size(); axis-- > 0; place /= extents[axis])
        index[axis] = place % extents[axis];
    std::string dims;
    for (std::size_t d = 0; d < bound.size(); ++d)
        dims += fmt::format("{}{} = {}", d == 0 ? " where " : ", ", bound[d].name(), index[d]);
    const Shape positional(index.begin() + std::ssize(bound), index.end());
    throw ArithmeticError(fmt::format("{}: the element at {}{} is {}, which throw_nan refuses",
                                      what, to_string(positional), dims,
                                      is_time(x.dtype()) ? "NaT" : "NaN"));
}

namespace {

/// `reduce_non_nan` of times, whose counts are compacted. A group of NaT alone has the result of one NaT,
/// but in a sum, which is that of nothing.
Operand reduce_non_nat(const char* what, const ReducedView& view, PartsWork work) {
    require_not_sparse(what, view.operand);
    const Operand not_nat = is_not_nan(view.operand);
    if (all_true(not_nat)) return work(view);
    const DType times = view.operand.dtype();
    DType made = times;
    const Operand counts = times_as_counts(view.operand);
    const Operand result =
        KeptElements(std::span(&counts, 1), not_nat, view.groups)
            .reduce(view.shape, [&](const std::vector<Operand>& batch, index_t groups) {
                Operand kept = batch[0];
                if (kept.dims.size() == 0 && std::string_view(what) != "sum") {
                    kept = empty_of(what, counts.dtype(), Shape{groups, 1});
                    visit_dtype(counts.dtype(), what, [&]<typename C>(std::type_identity<C>) {
                        std::fill_n(reinterpret_cast<C*>(memory_of(kept)), groups, kNatCount<C>);
                    });
                }
                const Operand each =
                    work({counts_as_times(AnyTensor(kept), times).operand(), {groups}, groups, 1});
                made = each.dtype();
                return times_as_counts(each);
            });
    return counts_as_times(AnyTensor(result), made).operand();
}

} // namespace

Operand reduce_non_nan(const char* what, const ReducedView& view, PartsWork work) {
    if (is_time(view.operand.dtype()) && view.operand.dims.size() > 0)
        return reduce_non_nat(what, view, work);
    if (!view.operand.dtype().is_floating() || view.operand.dims.size() == 0) return work(view);
    require_not_sparse(what, view.operand);
    const Operand not_nan = is_not_nan(view.operand);
    if (all_true(not_nan)) return work(view);
    return KeptElements(std::span(&view.operand, 1), not_nan, view.groups)
        .reduce(view.shape, [&](const std::vector<Operand>& batch, index_t groups) {
            return work({batch[0], {groups}, groups, 1});
        });
}

Operand reduce_non_nan(const char* what, const ReducedPair& pair, PairsWork work) {
    const Operand sources[] = {pair.x.operand, pair.y.operand};
    Operand not_nan;
    for (const Operand& source : sources) {
        require_not_sparse(what, source);
        if (!source.dtype().is_floating()) continue;
        const Operand of_one = is_not_nan(source);
        not_nan = not_nan.node == nullptr
                      ? of_one
                      : binary_operand(Op::logical_and, not_nan, of_one, boolean, boolean);
    }
    if (not_nan.node == nullptr || not_nan.dims.size() == 0 || all_true(not_nan)) return work(pair);
    return KeptElements(sources, not_nan, pair.x.groups)
        .reduce(pair.x.shape, [&](const std::vector<Operand>& batch, index_t groups) {
            return work({{batch[0], {groups}, groups}, {batch[1], {groups}, groups}, 1});
        });
}

} // namespace purview
