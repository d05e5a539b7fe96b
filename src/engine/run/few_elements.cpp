#include "engine/run/few_elements.hpp"

#include <purview/base/wrapping.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/compile/tile_operations.hpp"
#include "engine/places/line_in_memory.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace purview::inline v0_1::engine {
namespace {

constexpr index_t kFew = 16;

/// Where the elements of an operand lie: side by side, or one for all.
struct FewElements {
    const std::byte* place;
    index_t step_bytes;
};

/// A null place where they lie otherwise, or are of another type.
FewElements few_of(const Input& input, DType dtype) noexcept {
    const Node& node = *input.node;
    if (input.view != nullptr || node.dtype() != dtype) return {};
    if (const auto* const constant = node_as<Constant>(node))
        return {static_cast<const std::byte*>(operand_of(*constant)), 0};
    const auto* const leaf = node_as<Leaf>(node);
    if (leaf == nullptr || !has_elements_side_by_side(leaf->memory(), dtype)) return {};
    return {static_cast<const std::byte*>(leaf->memory().data), leaf->memory().stride_bytes};
}

template <typename T, typename Function>
bool combine_few(const FewElements& x, const FewElements& y, std::size_t count, std::byte* out,
                 Function function) noexcept {
    std::array<T, kFew> results;
    bool known = true;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<index_t>(i);
        results[i] = function(load_element<T>(x.place + at * x.step_bytes),
                              load_element<T>(y.place + at * y.step_bytes));
        if constexpr (std::is_floating_point_v<T>) known &= results[i] == results[i];
    }
    if (known) std::memcpy(out, results.data(), count * sizeof(T));
    return known;
}

template <typename T>
bool store_few_of(Op op, const FewElements& x, const FewElements& y, std::size_t count,
                  std::byte* out) noexcept {
    switch (op) {
    case Op::add:
        return combine_few<T>(x, y, count, out, [](T a, T b) { return wrapping_sum(a, b); });
    case Op::subtract:
        return combine_few<T>(x, y, count, out, [](T a, T b) { return wrapping_difference(a, b); });
    case Op::multiply:
        return combine_few<T>(x, y, count, out, [](T a, T b) { return wrapping_product<T>(a, b); });
    case Op::divide:
        if constexpr (std::is_floating_point_v<T>)
            return combine_few<T>(x, y, count, out, [](T a, T b) { return a / b; });
        return false;
    default: return false;
    }
}

} // namespace

bool store_few(const Operand& source, std::byte* out) noexcept {
    const auto* const operation = node_as<Elementwise>(*source.node);
    if (operation == nullptr) return false;
    const std::span<const Input> inputs = operation->inputs();
    const index_t size = source.dims.size();
    if (inputs.size() != 2 || size < 1 || size > kFew || !source.dims.is_identity()) return false;
    const DType dtype = operation->dtype();
    const FewElements x = few_of(inputs[0], dtype);
    const FewElements y = few_of(inputs[1], dtype);
    if (x.place == nullptr || y.place == nullptr) return false;
    const auto count = static_cast<std::size_t>(size);
    switch (dtype.id()) {
    case TypeId::float64: return store_few_of<double>(operation->op(), x, y, count, out);
    case TypeId::float32: return store_few_of<float>(operation->op(), x, y, count, out);
    case TypeId::int64: return store_few_of<std::int64_t>(operation->op(), x, y, count, out);
    case TypeId::int32: return store_few_of<std::int32_t>(operation->op(), x, y, count, out);
    default: return false;
    }
}

} // namespace purview::engine
