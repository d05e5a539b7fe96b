#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/replace.hpp>
#include <purview/tensor/copy.hpp>

#include "base/same_extents.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The Dimensions of the source, seen in the shape of the destination.
Dimensions fit(const Operand& source, ShapeSpan shape) {
    const ShapeSpan own = source.dims.max_shape();
    if (same_extents(own, shape)) return source.dims;
    const Dimensions target = Dimensions::row_major(shape);
    if ((own.size() == 1 || shape.size() == 1) && source.dims.size() == target.size())
        return dimensions::reshape(source.dims, shape);
    try {
        return dimensions::expand(source.dims, shape);
    } catch (const ShapeError&) {
        throw ShapeError(fmt::format("copy: shape {} cannot be copied to shape {}", to_string(own),
                                     to_string(shape)));
    }
}

/// Whether all bytes are 0 or 1. Eight at a time: what is asked each time costs less than what it
/// is asked for.
bool are_plain_bools(const std::byte* bytes, index_t count) {
    constexpr index_t kWord = sizeof(std::uint64_t);
    constexpr std::uint64_t kOthers = 0xfefefefefefefefe;
    index_t i = 0;
    for (; i + 8 * kWord <= count; i += 8 * kWord) {
        std::array<std::uint64_t, 8> words;
        std::memcpy(words.data(), bytes + i, sizeof words);
        std::uint64_t any = 0;
        for (const std::uint64_t word : words) any |= word;
        if ((any & kOthers) != 0) return false;
    }
    std::byte rest{};
    for (; i < count; ++i) rest |= bytes[i];
    return (rest & std::byte{0xfe}) == std::byte{};
}

} // namespace

Operand copied_operand(const Operand& source, const Operand& destination, const char* what) {
    if (!is_writable(destination)) throw_read_only(what, destination);
    const Operand fitting{source.node, fit(source, destination.dims.max_shape())};
    return convert_operand(fitting, destination.dtype(), Op::cast);
}

void copy_operand(const Operand& source, const Operand& destination, const char* what) {
    if (source.dtype() == destination.dtype() &&
        same_extents(source.dims.max_shape(), destination.dims.max_shape())) {
        if (!is_writable(destination)) throw_read_only(what, destination);
        return replace_elements(source, destination);
    }
    replace_elements(copied_operand(source, destination, what), destination);
}

bool lies_as_objects(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    if (leaf == nullptr || !leaf->memory() ||
        leaf->memory().stride_bytes != leaf->dtype().size_bytes() || !source.dims.is_contiguous())
        return false;
    const index_t size = source.dims.size();
    if (size == 0) return true;
    const auto* const first = static_cast<const std::byte*>(leaf->memory().data) +
                              source.dims.base() * leaf->memory().stride_bytes;
    if (leaf->dtype() == boolean) return are_plain_bools(first, size);
    return reinterpret_cast<std::uintptr_t>(first) % leaf->dtype().descriptor().alignment == 0;
}

namespace {

/// A dense copy of elements of a built-in type, of strings or of times.
AnyTensor dense_clone(const char* what, const AnyTensor& source) {
    check_dense_of_sparse(what, source.operand());
    Operand result = results_like(what, source.operand(), source.dtype(), source.shape());
    assign(source.operand(), result);
    return AnyTensor::writable(std::move(result));
}

} // namespace

AnyTensor dense_clone_tensor(const AnyTensor& source) { return dense_clone("contiguous", source); }

Operand copied_to_memory(const Operand& source) {
    check_dense_of_sparse("contiguous", source);
    Operand result = cpu().results_like({}, source.dtype(), source.dims.max_shape());
    assign(source, result);
    return result;
}

AnyTensor clone_tensor(const AnyTensor& source) {
    if (!source.dtype().is_builtin()) return dense_clone("clone", source);
    return visit_dtype(source.dtype(), "clone", [&]<typename T>(std::type_identity<T>) {
        return AnyTensor(tensor(Tensor<T>(source.operand())));
    });
}

} // namespace purview
