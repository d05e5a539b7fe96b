// Defines purview/interop/descriptor.hpp.
#include <purview/interop/descriptor.hpp>

#include <purview/base/errors.hpp>

#include "base/json_cursor.hpp"
#include "dtype/stored_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr std::string_view kBig = "big-endian";
constexpr std::string_view kLittle = "little-endian";

std::optional<DType> stored_dtype(std::string_view name) {
    std::optional<DType> found;
    const auto test = [&]<typename T>(std::type_identity<T>) {
        if (!found && kDType<T>.name() == name) found = kDType<T>;
    };
    for_each_stored(test);
#define PURVIEW_TEST_NAME(T) test(std::type_identity<T>{});
    PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_TEST_NAME)
#undef PURVIEW_TEST_NAME
    return found;
}

Shape row_major_bytes(ShapeSpan shape, index_t size) {
    Shape strides = row_major_strides(shape);
    for (index_t& stride : strides) stride *= size; // the shape has been checked
    return strides;
}

} // namespace

std::string to_json(const MemoryDescriptor& memory) {
    const bool is_big = memory.byte_order == std::endian::big;
    return fmt::format(R"({{"ptr": {}, "datatype": "{}", "shape": [{}], "strides": [{}], )"
                       R"("endianness": "{}", "readonly": {}}})",
                       reinterpret_cast<std::uintptr_t>(memory.pointer), memory.dtype.name(),
                       fmt::join(memory.shape, ", "), fmt::join(memory.strides, ", "),
                       is_big ? kBig : kLittle, memory.read_only);
}

MemoryDescriptor descriptor_from_json(std::string_view text) {
    JsonCursor json("descriptor_from_json", text);
    MemoryDescriptor memory;
    std::optional<DType> dtype;
    std::optional<Shape> shape;
    std::optional<Shape> strides;
    std::optional<std::uint64_t> pointer;
    constexpr std::array<std::string_view, 6> kKeys{"ptr",     "datatype",   "shape",
                                                    "strides", "endianness", "readonly"};
    std::array<bool, kKeys.size()> seen{};
    json.list('{', '}', [&] {
        const std::string key = json.string();
        const auto known = static_cast<std::size_t>(std::ranges::find(kKeys, key) - kKeys.begin());
        if (known < kKeys.size() && std::exchange(seen[known], true))
            json.fail("each key once before this place");
        json.expect(':');
        if (key == "ptr") {
            pointer = json.integer<std::uint64_t>();
        } else if (key == "datatype") {
            dtype = stored_dtype(json.string());
            if (!dtype) json.fail("the name of an element type before this place");
        } else if (key == "shape") {
            shape = json.integers(kMaxRank);
        } else if (key == "strides") {
            if (!json.take_word("null")) strides = json.integers(kMaxRank);
        } else if (key == "endianness") {
            const std::string order = json.string();
            if (order != kBig && order != kLittle)
                json.fail("little-endian or big-endian before this place");
            memory.byte_order = order == kBig ? std::endian::big : std::endian::little;
        } else if (key == "readonly") {
            memory.read_only = json.boolean();
        } else {
            json.skip_value();
        }
    });
    json.expect_end();
    for (const auto& [is_there, key] :
         {std::pair(pointer.has_value(), "ptr"), std::pair(dtype.has_value(), "datatype"),
          std::pair(shape.has_value(), "shape")})
        if (!is_there) json.fail(fmt::format("the key \"{}\" before the end", key));
    if (strides && strides->size() != shape->size())
        json.fail("as many strides as extents before the end");
    memory.pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(*pointer));
    memory.dtype = *dtype;
    memory.strides = strides ? *std::move(strides) : row_major_bytes(*shape, dtype->size_bytes());
    memory.shape = *std::move(shape);
    return memory;
}

} // namespace purview
