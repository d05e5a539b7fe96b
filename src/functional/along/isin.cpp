#include "functional/along/sorted_search.hpp"
#include "functional/reductions/slab_results.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/along/isin.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kIsinBlock = 512;
/// A table of bools up to this many bytes is always used; a larger one if there are at least half
/// as many elements as bytes.
constexpr std::uint64_t kSmallMemberTable = 1 << 16;

/// The difference between the greatest and the least of some sorted integers.
template <typename T>
std::uint64_t extent_of(std::span<const T> sorted) {
    return static_cast<std::uint64_t>(sorted.back()) - static_cast<std::uint64_t>(sorted.front());
}

template <typename T>
void look_up(std::span<const T> x, std::span<const T> sorted, bool* out) {
    const std::uint64_t extent = extent_of(sorted);
    const auto least = static_cast<std::uint64_t>(sorted.front());
    const std::unique_ptr<bool[]> table(new bool[static_cast<std::size_t>(extent) + 1]());
    for (const T value : sorted)
        table[static_cast<std::size_t>(static_cast<std::uint64_t>(value) - least)] = true;
    parallel_ranges(std::ssize(x), 8 * kIsinBlock, static_cast<double>(x.size()),
                    [&](index_t begin, index_t end) {
                        for (auto i = static_cast<std::size_t>(begin);
                             i < static_cast<std::size_t>(end); ++i) {
                            const std::uint64_t at = static_cast<std::uint64_t>(x[i]) - least;
                            out[i] = at <= extent && table[static_cast<std::size_t>(at)];
                        }
                    });
}

template <typename T>
void search(std::span<const T> x, std::span<const T> sorted, bool* out) {
    const SortedSearch<T, Side::left> places(sorted.data(), std::ssize(sorted));
    const double each = 2 * (1 + static_cast<double>(std::bit_width(sorted.size())));
    parallel_ranges(
        std::ssize(x), kIsinBlock, each * static_cast<double>(x.size()),
        [&](index_t begin, index_t end) {
            std::array<std::int64_t, kIsinBlock> found{};
            for (; begin < end; begin += kIsinBlock) {
                const index_t count = std::min(kIsinBlock, end - begin);
                places.find(x.data() + begin, count, found.data());
                for (index_t i = 0; i < count; ++i) {
                    const auto at = static_cast<std::size_t>(found[static_cast<std::size_t>(i)]);
                    out[begin + i] =
                        at < sorted.size() && sorted[at] == x[static_cast<std::size_t>(begin + i)];
                }
            }
        });
}

} // namespace

namespace {

/// Strings, or times as their counts: NaT equals nothing.
Operand others_found(const Operand& x, const Operand& others) {
    if (x.dtype() == kDType<std::string>)
        return isin(Tensor<std::string>(x), Tensor<std::string>(others)).operand();
    const Operand found = found_among({times_as_counts(x)}, {times_as_counts(others)});
    const Operand is_time = unary_operand(Op::logical_not, nat_mask(x), boolean);
    return clone(Tensor<bool>(binary_operand(Op::logical_and, found, is_time, boolean, boolean)))
        .operand();
}

} // namespace

Operand found_among(WeakOperand given, WeakOperand among) {
    const DType dtype = given.operand.dtype();
    if (dtype == among.operand.dtype() &&
        (dtype == kDType<std::string> || dtype.counted_in() != dtype))
        return others_found(given.operand, among.operand);
    const DType compute = computed_dtype("isin", given, among);
    const Operand& x = given.operand;
    const Operand& others = among.operand;
    return visit_dtype(compute, "isin", [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> list = in_memory<T>("isin", others);
        const MutableTensor<T> ordered = sort(reshape(list, {-1}));
        const std::span<const T> all_sorted = as_span(ordered);
        // NaN sorts after all others, and equals nothing.
        const auto end =
            std::ranges::partition_point(all_sorted, [](T value) { return value == value; });
        const std::span<const T> sorted(all_sorted.begin(), end);
        return worked_by_parts("isin", x, [&](const Operand& part) {
            const MutableTensor<bool> result = empty<bool>(part.dims.max_shape());
            const Tensor<T> held = in_memory<T>("isin", part);
            const std::span<const T> values = as_span(held);
            bool* const out = as_span(result).data();
            if (sorted.empty()) {
                std::fill_n(out, values.size(), false);
                return result.operand();
            }
            if constexpr (std::integral<T>)
                if (extent_of(sorted) <
                    std::max<std::uint64_t>(kSmallMemberTable, values.size() / 2)) {
                    look_up(values, sorted, out);
                    return result.operand();
                }
            search(values, sorted, out);
            return result.operand();
        });
    });
}

} // namespace purview
