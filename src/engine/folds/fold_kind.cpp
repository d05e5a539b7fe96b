#include "engine/folds/fold_kind.hpp"

#include <purview/dtype/visit.hpp>

#include <algorithm>
#include <atomic>
#include <bit>

namespace purview::inline v0_1::engine {
namespace {

template <typename T>
constexpr FoldValue fold_value(T value) {
    FoldValue result{};
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    std::copy(bytes.begin(), bytes.end(), result.bytes);
    return result;
}

template <typename F>
constexpr FoldKind kFoldKind = {
    .dtype = kDType<typename F::Type>,
    .op = F::kOp,
    .operation = F::kOperation,
    .chunk = F::kChunk,
    .identity = fold_value(F::identity()),
    .start = fold_value(F::start()),
    .neutral = F::neutral(),
    .start_lanes = kStartLanes<F>.data(),
    .combine =
        [](FoldValue a, FoldValue b) {
            using T = typename F::Type;
            return fold_value<T>(F::combine(a.as<T>(), b.as<T>()));
        },
    .is_decided = [](FoldValue folded) { return F::is_decided(folded.as<typename F::Type>()); },
    .is_better =
        [](FoldValue a, FoldValue b) {
            using T = typename F::Type;
            const auto best = a.as<T>();
            return best == best && F::combine(best, b.as<T>()) != best;
        },
    .join = [](const std::byte* accumulator, std::size_t lane_bytes,
               std::size_t lanes) { return fold_value(F::join(accumulator, lane_bytes, lanes)); },
    .combine_each =
        [](void* elements, const void* more, index_t count) {
            auto* const total = static_cast<typename F::Type*>(elements);
            const auto* const other = static_cast<const typename F::Type*>(more);
            for (index_t i = 0; i < count; ++i) total[i] = F::combine(total[i], other[i]);
        },
    .fold_cells =
        [](const void* in, index_t cells, Cell cell, void* out) {
            using T = typename F::Type;
            fold_cells<F>(static_cast<const T*>(in), cells, cell, static_cast<T*>(out));
        },
};

constexpr auto kReductions = static_cast<std::size_t>(Reduction::all_of) + 1;
constexpr auto kBuiltinTypes = static_cast<std::size_t>(TypeId::other);

} // namespace

const FoldKind& fold_kind(Reduction reduction, DType dtype) {
    // The kinds that were found, as finding one takes as long as folding a hundred elements.
    static std::atomic<const FoldKind*> found[kReductions][kBuiltinTypes];
    const auto type = static_cast<std::size_t>(dtype.id());
    std::atomic<const FoldKind*>* const place =
        type < kBuiltinTypes ? &found[static_cast<std::size_t>(reduction)][type] : nullptr;
    if (place != nullptr)
        if (const FoldKind* const known = place->load(std::memory_order_relaxed)) return *known;
    const FoldKind* kind = nullptr;
    visit_dtype(dtype, "reduce", [&]<typename T>(std::type_identity<T>) {
        visit_fold<T>(reduction, [&]<typename F>(std::type_identity<F>) { kind = &kFoldKind<F>; });
    });
    PURVIEW_ASSERT(kind != nullptr);
    if (place != nullptr) place->store(kind, std::memory_order_relaxed);
    return *kind;
}

} // namespace purview::engine
