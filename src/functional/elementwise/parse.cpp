#include <purview/base/errors.hpp>
#include <purview/dtype/time_text.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/parse.hpp>

#include <algorithm>
#include <vector>

namespace purview {

std::string place_of_text(const Operand& texts, std::string_view text) {
    const ShapeSpan shape = texts.dims.max_shape();
    if (shape.empty()) return {};
    const Evaluation evaluation(texts);
    std::vector<std::string> block(256);
    for (index_t done = 0; done < evaluation.size(); done += std::ssize(block)) {
        const index_t count = std::min<index_t>(evaluation.size() - done, std::ssize(block));
        evaluation.read(done, count, block.data());
        const auto found = std::find(block.begin(), block.begin() + count, text);
        if (found == block.begin() + count) continue;
        index_t index = done + (found - block.begin());
        if (shape.size() == 1) return "at index " + std::to_string(index);
        Shape coordinates(shape.begin(), shape.end());
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            coordinates[axis] = index % shape[axis];
            index /= shape[axis];
        }
        return "at index " + to_string(coordinates);
    }
    return {};
}

namespace strings {
namespace {

/// Rethrows an error about a text, with the place of the text added to the message.
template <typename E>
[[noreturn]] void rethrow_with_place(const E& error, const std::string& text,
                                     const Operand& texts) {
    const std::string place = place_of_text(texts, text);
    throw E(place.empty() ? error.what() : error.what() + (", " + place));
}

} // namespace

template <BuiltinType T>
T parse_element(const std::string& text, const Operand& texts) {
    try {
        return parse<T>(text);
    } catch (const CastError& error) {
        rethrow_with_place(error, text, texts);
    }
}
#define PURVIEW_INSTANTIATE(T) \
 template PURVIEW_EXPORT T parse_element<T>(const std::string&, const Operand&);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_INSTANTIATE)
#undef PURVIEW_INSTANTIATE

std::int64_t parse_time_element(const std::string& text, std::int64_t num, std::int64_t den,
                                const Operand& texts) {
    try {
        return parse_time_point(text, num, den);
    } catch (const FormatError& error) {
        rethrow_with_place(error, text, texts);
    }
}

} // namespace strings

} // namespace purview
