#include "engine/reduce/complex_folds.hpp"

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>
#include <complex>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Elements that are folded to one before they are joined with others.
constexpr index_t kChunk = 2048;
/// Products are made on this many lanes.
constexpr index_t kLanes = 64;

template <typename Z>
class ComplexFold {
public:
    using Part = typename Z::value_type;

    explicit ComplexFold(bool multiplies)
        : multiplies_(multiplies),
          add_(lane_kernels().find_complex_sum(kDType<Part>.id())),
          multiply_(lane_kernels().find_complex(ComplexOp::multiply, kDType<Part>.id())) {}

    Z identity() const { return multiplies_ ? Z{1} : Z{}; }
    Z join(Z x, Z y) const {
        if (!multiplies_) return x + y;
        Z result;
        multiply_(&x, &y, &result, 1);
        return result;
    }
    Z of(const Z* elements, index_t count) const {
        return multiplies_ ? product(elements, count) : sum(elements, count);
    }
    /// Joins results as a binary tree.
    Z joined(Z* results, index_t count) const {
        if (count == 0) return identity();
        for (index_t step = 1; step < count; step *= 2)
            for (index_t i = 0; i + step < count; i += 2 * step)
                results[i] = join(results[i], results[i + step]);
        return results[0];
    }

private:
    Z sum(const Z* elements, index_t count) const {
        alignas(64) Part sums[kFloatLanes] = {};
        add_(elements, count, sums);
        for (std::size_t half = kFloatLanes / 2; half >= 2; half /= 2)
            for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
        return {sums[0], sums[1]};
    }
    Z product(const Z* elements, index_t count) const {
        Z lanes[kLanes];
        const index_t first = std::min(count, kLanes);
        std::copy_n(elements, first, lanes);
        for (index_t i = first; i < count; i += kLanes)
            multiply_(lanes, elements + i, lanes, std::min(kLanes, count - i));
        // By halves, the odd one out joining the first.
        for (index_t left = first; left > 1;) {
            const index_t half = left / 2;
            multiply_(lanes, lanes + left - half, lanes, half);
            left -= half;
        }
        return first == 0 ? Z{1} : lanes[0];
    }

    bool multiplies_;
    AddComplex add_;
    ComplexBlock multiply_;
};

/// Where the elements lie one after the other in memory; null if they do not.
template <typename Z>
const Z* elements_in_line(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    if (leaf == nullptr || !is_line(leaf->memory(), leaf->dtype(), source.dims)) return nullptr;
    const std::byte* const first = element_of(*leaf, source.dims.base());
    return is_aligned(first, leaf->dtype()) ? reinterpret_cast<const Z*>(first) : nullptr;
}

template <typename Z>
void fold(bool multiplies, const Operand& source, index_t groups, Z* out) {
    const ComplexFold<Z> folds(multiplies);
    const index_t length = groups > 0 ? source.dims.size() / groups : 0;
    if (length == 0) return void(std::fill_n(out, groups, folds.identity()));
    const Z* const line = elements_in_line<Z>(source);
    std::optional<Evaluation> evaluation; // what lies in memory needs none
    if (line == nullptr) evaluation.emplace(source, Reads::within_one_operation);
    const index_t chunks = (length + kChunk - 1) / kChunk;
    const bool is_one = groups * chunks == 1;
    std::vector<Z> of_chunks(static_cast<std::size_t>(is_one ? 0 : groups * chunks));
    Z* const results = is_one ? out : of_chunks.data();
    const auto fold_chunks = [&](index_t begin, index_t end) {
        std::vector<Z> block(
            static_cast<std::size_t>(line == nullptr ? std::min(kChunk, length) : 0));
        for (index_t i = begin; i < end; ++i) {
            const index_t first = i % chunks * kChunk;
            const index_t count = std::min(kChunk, length - first);
            const index_t place = i / chunks * length + first;
            if (line == nullptr) evaluation->read(place, count, block.data());
            results[i] = folds.of(line == nullptr ? block.data() : line + place, count);
        }
    };
    const int threads =
        line != nullptr || evaluation->is_thread_safe()
            ? worthwhile_threads(costs::kFoldedComplex * static_cast<double>(source.dims.size()))
            : 1;
    // Short groups are read several at a time.
    if (chunks == 1 && line == nullptr) {
        const index_t most = std::max<index_t>(kChunk / length, 1);
        return parallel_for(groups, most, threads, [&](index_t begin, index_t end) {
            std::vector<Z> block(static_cast<std::size_t>(most * length));
            for (index_t g = begin; g < end; g += most) {
                const index_t count = std::min(most, end - g);
                evaluation->read(g * length, count * length, block.data());
                for (index_t i = 0; i < count; ++i)
                    out[g + i] = folds.of(block.data() + i * length, length);
            }
        });
    }
    parallel_for(groups * chunks, 16, threads, fold_chunks);
    if (is_one) return;
    for (index_t g = 0; g < groups; ++g) out[g] = folds.joined(results + g * chunks, chunks);
}

} // namespace

void fold_complex(Reduction reduction, const Operand& source, index_t groups, void* out) {
    const bool multiplies = reduction == Reduction::product;
    if (!multiplies && reduction != Reduction::sum)
        throw_dtype_unsupported("reduce", source.dtype());
    if (source.dtype() == kDType<std::complex<float>>)
        fold(multiplies, source, groups, static_cast<std::complex<float>*>(out));
    else
        fold(multiplies, source, groups, static_cast<std::complex<double>*>(out));
}

} // namespace purview::engine
