#include "interop/arrow_text_views.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/reader/make_reader.hpp>

#include "base/quoted_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace purview::inline v0_1::arrow {
namespace {

constexpr index_t kBytesOfView = 16;
/// As many bytes lie in the view itself; longer texts have there their first four, a buffer and an
/// offset in it.
constexpr std::int32_t kLongestWithin = 12;

/// The views of a slice, and the buffers that they refer to.
struct TextViews {
    const std::byte* views;
    const void* const* buffers; ///< of the texts
    const std::byte* lengths;   ///< int64 each
    index_t count;              ///< of the buffers

    struct View {
        std::int32_t size;
        std::int32_t buffer;
        std::int32_t offset;
    };
    const std::byte* at(index_t i) const noexcept { return views + i * kBytesOfView; }
    View view(index_t i) const noexcept {
        return {load_element<std::int32_t>(at(i)), load_element<std::int32_t>(at(i) + 8),
                load_element<std::int32_t>(at(i) + 12)};
    }
    /// Whether a long text lies in its buffer.
    bool holds(const View& view) const noexcept {
        if (view.buffer < 0 || view.buffer >= count || view.offset < 0) return false;
        if (buffers[view.buffer] == nullptr) return false;
        const auto length =
            load_element<std::int64_t>(lengths + view.buffer * index_t{sizeof(std::int64_t)});
        return std::int64_t{view.offset} + view.size <= length;
    }
    std::string text(index_t i) const {
        const View found = view(i);
        const auto* const first = reinterpret_cast<const char*>(
            found.size <= kLongestWithin
                ? at(i) + 4
                : static_cast<const std::byte*>(buffers[found.buffer]) + found.offset);
        return std::string(first, static_cast<std::size_t>(found.size));
    }
};

} // namespace

AnyTensor viewed_texts(const Import& import, const Slice& slice, const CheckedSlice& checked) {
    const std::string column = file::quoted_text(slice.column);
    const index_t count = slice.array.n_buffers - 3; // the bitmap, the views, the lengths
    const TextViews views{
        checked.data[0] == nullptr ? nullptr : checked.data[0] + checked.first * kBytesOfView,
        slice.array.buffers + 2,
        static_cast<const std::byte*>(slice.array.buffers[slice.array.n_buffers - 1]), count};
    if (count > 0 && views.lengths == nullptr)
        throw FormatError(
            fmt::format("from_arrow: column {}: {} buffers of texts, and a null pointer to their "
                        "lengths",
                        column, count));
    for (index_t i = 0; i < checked.count; ++i) {
        if (!checked.is_valid(i)) continue;
        const TextViews::View view = views.view(i);
        if (view.size < 0 || (view.size > kLongestWithin && !views.holds(view)))
            throw FormatError(fmt::format(
                "from_arrow: column {}, row {}: a text of {} bytes at offset {} of buffer {}, of {}",
                column, i, view.size, view.offset, view.buffer, count));
    }
    auto reader = make_reader(checked.count, [views, checked, owner = import.owner](index_t i) {
        return checked.is_valid(i) ? views.text(i) : std::string();
    });
    return AnyTensor(
        Operand{make_node<Leaf>(std::move(reader)), Dimensions::row_major(Shape{checked.count})});
}

} // namespace purview::arrow
