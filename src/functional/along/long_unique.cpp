// Defines purview/functional/along/unique.hpp.

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>

#include "evaluation/large_results.hpp"
#include "evaluation/long_sorts.hpp"
#include "evaluation/placed_results.hpp"
#include "functional/along/nat_last.hpp"

#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Tells where runs of equal elements begin.
template <typename T>
class RunBegins {
public:
    bool begins_with(T value) {
        const bool begins = !last_ || !same_element(*last_, value);
        if (begins) last_ = value;
        return begins;
    }

private:
    std::optional<T> last_;
};

template <typename T>
std::span<T> elements_of(const SortedPiece& piece) {
    return as_span(MutableTensor<T>(piece.elements));
}

template <typename T>
index_t count_runs(const LongSort& sort) {
    RunBegins<T> runs;
    index_t count = 0;
    sort.for_each_piece([&](const SortedPiece& piece) {
        for (const T value : elements_of<T>(piece)) count += runs.begins_with(value) ? 1 : 0;
    });
    return count;
}

/// The first of each run, in the place of the elements.
template <typename T, typename Begins>
std::span<const T> firsts(std::span<T> elements, RunBegins<T>& runs, Begins begins) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const T value = elements[i];
        if (!runs.begins_with(value)) continue;
        begins(static_cast<index_t>(i));
        elements[count++] = value;
    }
    return elements.first(count);
}

/// What is sorted: numbers whose order has NaT last.
Operand sorted_numbers(const Operand& x) {
    const Operand numbers = tick_counts(x);
    return has_nat_first(x.dtype(), numbers.dtype(), ascending) ? with_nat_last(numbers) : numbers;
}

/// The values that numbers stand for.
Operand values_of(const Operand& x, const Operand& numbers) {
    if (numbers.dtype() == x.dtype()) return numbers;
    if (has_nat_first(x.dtype(), numbers.dtype(), ascending))
        assign(from_nat_last(numbers), numbers);
    return counts_as_times(AnyTensor::writable(numbers), x.dtype()).operand();
}

} // namespace

bool is_unique_in_files(const Operand& x) { return is_sorted_in_runs(sorted_numbers(x)); }

Operand distinct_in_files(const char* what, const Operand& x) {
    const Operand numbers = sorted_numbers(x);
    return visit_dtype(numbers.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        LongSort sort(what, numbers, ascending, false);
        AppendedResults values(what, x, numbers.dtype(), count_runs<T>(sort));
        RunBegins<T> runs;
        sort.take_pieces([&](const SortedPiece& piece) {
            const auto found = firsts(elements_of<T>(piece), runs, [](index_t) {});
            values.append(borrow(found).operand());
        });
        return values_of(x, values.all());
    });
}

UniqueElements<AnyTensor> unique_in_files(const char* what, const Operand& x) {
    const Operand numbers = sorted_numbers(x);
    return visit_dtype(numbers.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        LongSort sort(what, numbers, ascending, true);
        const index_t count = count_runs<T>(sort);
        AppendedResults values(what, x, numbers.dtype(), count);
        AppendedResults first_indexes(what, x, int64, count);
        AppendedResults counts(what, x, int64, count);
        PlacedResults inverse(what, int64, x.dims.size());
        RunBegins<T> runs;
        std::int64_t run = -1;
        index_t begin = 0; // of that run
        sort.take_pieces([&](const SortedPiece& piece) {
            const std::span<T> elements = elements_of<T>(piece);
            std::vector<std::int64_t> first;
            std::vector<std::int64_t> lengths; // of runs that have ended
            std::vector<std::int64_t> numbers_of_runs;
            const auto fill_to = [&](index_t i) {
                numbers_of_runs.resize(static_cast<std::size_t>(i), run);
            };
            const auto found = firsts(elements, runs, [&](index_t i) {
                fill_to(i);
                if (run++ >= 0) lengths.push_back(piece.first + i - begin);
                begin = piece.first + i;
                first.push_back(piece.indexes[i]);
            });
            fill_to(std::ssize(elements));
            values.append(borrow(found).operand());
            first_indexes.append(borrow(first).operand());
            counts.append(borrow(lengths).operand());
            inverse.add({piece.indexes, elements.size()}, numbers_of_runs.data());
        });
        const std::int64_t last = numbers.dims.size() - begin;
        counts.append(borrow(&last, {1}).operand());
        return UniqueElements<AnyTensor>{
            AnyTensor(values_of(x, values.all())), MutableTensor<std::int64_t>(first_indexes.all()),
            MutableTensor<std::int64_t>(inverse.take(x, x.dims.max_shape())),
            MutableTensor<std::int64_t>(counts.all())};
    });
}

} // namespace purview
