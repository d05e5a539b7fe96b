#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/folds/fold_kind.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1::engine {

/// Elements per chunk: a fold finds the extreme of a chunk, which is then compared with the best so
/// far. Ranges shorter than two of kExtremeChunk use kChunkOfGroup, as the chunk with the extreme
/// is read a second time to find its place.
constexpr index_t kExtremeChunk = 16384;
constexpr index_t kChunkOfGroup = 1024;

inline bool is_nan_of(DType dtype, FoldValue value) {
    return (dtype == float32 && std::isnan(value.as<float>())) ||
           (dtype == float64 && std::isnan(value.as<double>()));
}

/// The index in [from, count) of the first number that a predicate of vectors and of numbers takes;
/// `count` if there is none.
template <typename T, typename Predicate>
index_t first_that(const T* elements, index_t from, index_t count, Predicate takes) {
    typedef T Vector __attribute__((vector_size(16)));
    constexpr index_t kLanes = 16 / index_t{sizeof(T)};
    constexpr index_t kAtOnce = 8 * kLanes;
    for (; count - from >= kAtOnce; from += kAtOnce) {
        decltype(takes(Vector{})) any{};
        for (index_t i = 0; i < kAtOnce; i += kLanes) {
            Vector part;
            std::memcpy(&part, elements + from + i, sizeof part);
            any |= takes(part);
        }
        std::uint64_t words[2];
        std::memcpy(words, &any, sizeof words);
        if ((words[0] | words[1]) != 0) break;
    }
    while (from < count && !takes(elements[from])) ++from;
    return from;
}

/// Of the first element that equals `value`, or that is NaN as it is.
inline index_t first_equal(DType dtype, const void* elements, index_t from, index_t count,
                           FoldValue value) {
    visit_dtype(dtype, "arg_extreme", [&]<typename T>(std::type_identity<T>) {
        using Number = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;
        const auto* const in = static_cast<const Number*>(elements);
        const auto wanted = value.as<Number>();
        from = wanted != wanted
                   ? first_that(in, from, count, [](auto x) { return x != x; })
                   : first_that(in, from, count, [wanted](auto x) { return x == wanted; });
    });
    return from;
}

/// Finds the extreme elements in ranges of a source's own order: the extreme of each chunk at the
/// speed of a fold, then the positions of the elements that equal it in the chunks that have it.
class ExtremeSearch {
public:
    /// `kind` is a minimum or a maximum of elements of the type of `source`.
    ExtremeSearch(const FoldKind& kind, const Operand& source)
        : kind_(kind),
          fold_(kind, source),
          source_(source),
          memory_(line_in_memory(source, BoolBytes::rejected, Alignment::natural)) {}

    /// Calls `found(position)` for the first element of a range that equals its extreme; with
    /// `everywhere`, for all of them.
    template <typename Found>
    void run(index_t begin, index_t count, bool everywhere, Found found) {
        const index_t chunk = count >= 2 * kExtremeChunk ? kExtremeChunk : kChunkOfGroup;
        scan(begin, count, chunk, everywhere);
        locate_all(begin + count, chunk, everywhere, found);
    }

    /// The number of threads that pays for the whole source.
    int threads() const { return threads_for(fold_.plan(), source_.dims.size()); }

    /// As `run`, for the whole source, on several threads where that pays. `found` is called on the
    /// calling thread.
    template <typename Found>
    void run_all(bool everywhere, Found found) {
        const index_t count = source_.dims.size();
        const int count_of_threads = threads();
        if (count_of_threads <= 1 && !is_watched()) return run(0, count, everywhere, found);
        std::vector<FoldValue> values(static_cast<std::size_t>((count - 1) / kExtremeChunk) + 1);
        parallel_for(count, kExtremeChunk, count_of_threads, [&](index_t begin, index_t end) {
            RangeFold fold(kind_, source_);
            for (index_t at = begin; at < end; at += kExtremeChunk)
                values[static_cast<std::size_t>(at / kExtremeChunk)] =
                    fold(at, std::min(kExtremeChunk, end - at));
        });
        chunks_.clear();
        for (index_t at = 0; const FoldValue& value : values) {
            add(at, value, everywhere);
            at += kExtremeChunk;
        }
        locate_all(count, kExtremeChunk, everywhere, found);
    }

private:
    void scan(index_t begin, index_t count, index_t chunk, bool everywhere) {
        chunks_.clear();
        for (index_t at = begin; at < begin + count; at += chunk) {
            add(at, fold_(at, std::min(chunk, begin + count - at)), everywhere);
            if (!everywhere && is_nan_of(kind_.dtype, best_)) break;
        }
    }

    /// Adds the extreme of the chunk that begins at `at`.
    void add(index_t at, FoldValue value, bool everywhere) {
        if (chunks_.empty() || kind_.is_better(best_, value)) {
            best_ = value;
            chunks_.assign(1, at);
        } else if (everywhere && !kind_.is_better(value, best_)) {
            chunks_.push_back(at);
        }
    }

    template <typename Found>
    void locate_all(index_t end, index_t chunk, bool everywhere, Found found) {
        for (const index_t at : chunks_)
            locate(at, std::min(chunk, end - at), best_, everywhere, found);
    }

    template <typename Found>
    void locate(index_t begin, index_t count, FoldValue value, bool everywhere, Found found) {
        if (memory_ != nullptr) {
            const index_t end = begin + count;
            for (index_t at = begin; (at = first_equal(kind_.dtype, memory_, at, end, value)) < end;
                 ++at) {
                found(at);
                if (!everywhere) return;
            }
            return;
        }
        if (!store_) store_.emplace(source_);
        alignas(8) std::array<std::byte, static_cast<std::size_t>(kBlock) * sizeof(FoldValue)>
            piece;
        for (index_t at = begin; at < begin + count; at += kBlock) {
            const index_t length = std::min<index_t>(kBlock, begin + count - at);
            (*store_)(at, length, piece.data());
            for (index_t i = 0; i < length; ++i) {
                i = first_equal(kind_.dtype, piece.data(), i, length, value);
                if (i == length) break;
                found(at + i);
                if (!everywhere) return;
            }
        }
    }

    const FoldKind& kind_;
    RangeFold fold_;
    const Operand& source_;
    const std::byte* memory_; ///< where the elements lie side by side; else null
    std::optional<RangeStore> store_;
    // Of the last range:
    FoldValue best_;
    std::vector<index_t> chunks_; ///< where those begin that have it, the first or all
};

} // namespace purview::engine
