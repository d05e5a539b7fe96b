#include "engine/pairs/values.hpp"

#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace purview::inline v0_1::engine {

void gather_pairs(DType dtype, const SparsePairs& pairs, std::span<const index_t> positions,
                  void* out) {
    const auto* const values = static_cast<const std::byte*>(pairs.values.data);
    const index_t stride = pairs.values.stride_bytes;
    if (dtype.is_builtin()) {
        visit_dtype(dtype, "sparse", [&]<typename T>(std::type_identity<T>) {
            const T fill = load_element<T>(static_cast<const std::byte*>(pairs.fill));
            T* const results = static_cast<T*>(out);
            for (std::size_t i = 0; i < positions.size(); ++i)
                results[i] =
                    positions[i] < 0 ? fill : load_element<T>(values + positions[i] * stride);
        });
        return;
    }
    for (std::size_t i = 0; i < positions.size(); ++i)
        dtype.descriptor().copy(
            positions[i] < 0 ? pairs.fill : values + positions[i] * stride,
            static_cast<std::byte*>(out) + static_cast<index_t>(i) * dtype.size_bytes(), 1);
}

bool is_zero(DType dtype, const void* element) {
    return dtype.is_builtin() &&
           visit_dtype(dtype, "sparse", [&]<typename T>(std::type_identity<T>) {
               return load_element<T>(static_cast<const std::byte*>(element)) == T{};
           });
}

bool is_finite_element(DType dtype, const void* element) {
    return !dtype.is_floating() ||
           visit_dtype(dtype, "sparse", [&]<typename T>(std::type_identity<T>) {
               const T value = load_element<T>(static_cast<const std::byte*>(element));
               return are_finite(&value, 1);
           });
}

template <std::floating_point T>
std::vector<index_t> not_finite_positions(MemoryView values, index_t count) {
    constexpr index_t kBlock = 4096;
    const auto* const first = static_cast<const std::byte*>(values.data);
    std::vector<index_t> positions;
    for (index_t begin = 0; begin < count; begin += kBlock) {
        const index_t end = std::min(count, begin + kBlock);
        // x - x is 0 if x is finite, else NaN: the sum of these is 0 if all elements of a block are
        // finite.
        bool all = false;
        if (values.stride_bytes == static_cast<index_t>(sizeof(T))) {
            T sums[8] = {};
            index_t i = begin;
            T lane[8];
            for (; i + 8 <= end; i += 8) {
                std::memcpy(lane, first + i * values.stride_bytes, sizeof(lane));
                for (int k = 0; k < 8; ++k) sums[k] += lane[k] - lane[k];
            }
            T sum{};
            for (const T each : sums) sum += each;
            for (; i < end; ++i) {
                const T x = load_element<T>(first + i * values.stride_bytes);
                sum += x - x;
            }
            all = sum == T{};
        }
        if (all) continue;
        for (index_t i = begin; i < end; ++i)
            if (!std::isfinite(load_element<T>(first + i * values.stride_bytes)))
                positions.push_back(i);
    }
    return positions;
}

template std::vector<index_t> not_finite_positions<float>(MemoryView, index_t);
template std::vector<index_t> not_finite_positions<double>(MemoryView, index_t);

} // namespace purview::engine
