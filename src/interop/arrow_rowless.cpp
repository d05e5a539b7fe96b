#include "interop/arrow_rowless.hpp"

#include <purview/base/errors.hpp>

#include "interop/arrow_format.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace purview::inline v0_1::arrow {
namespace {

constexpr std::size_t kMostArrays = 1 << 20;
constexpr int kDeepest = 64; ///< deeper than what is imported

/// An array and all that lie in it.
class Rowless {
public:
    Array* add(const Schema* schema, const std::string& column, int depth) {
        if (arrays_.size() == kMostArrays)
            throw FormatError(
                fmt::format("from_arrow: more columns than the limit of {}", kMostArrays));
        Array& array = arrays_.emplace_back();
        array.release = [](Array* self) { self->release = nullptr; };
        if (schema == nullptr || schema->release == nullptr || schema->format == nullptr ||
            depth > kDeepest)
            return &array;
        const ArrowType type = parse_format(schema->format, column);
        array.n_buffers = type.fewest_buffers();
        array.buffers = no_buffers_.data();
        const bool is_table = type.kind == Kind::structure;
        const std::int64_t most = is_table                        ? std::int64_t{kMostArrays}
                                  : type.kind == Kind::fixed_list ? 1
                                                                  : 0;
        if (schema->children != nullptr && schema->n_children <= most) {
            std::vector<Array*>& places = places_.emplace_back();
            for (std::int64_t c = 0; c < schema->n_children; ++c) {
                const Schema* const child = schema->children[c];
                const bool is_named = is_table && child != nullptr && child->release != nullptr &&
                                      child->name != nullptr;
                const std::string prefix = is_named && !column.empty() ? column + '.' : column;
                places.push_back(add(child, is_named ? prefix + child->name : column, depth + 1));
            }
            array.n_children = std::ssize(places);
            array.children = places.data();
        }
        if (schema->dictionary != nullptr)
            array.dictionary = add(schema->dictionary, column, depth + 1);
        return &array;
    }

private:
    std::array<const void*, 3> no_buffers_{};
    std::deque<Array> arrays_;
    std::deque<std::vector<Array*>> places_;
};

} // namespace

Array rowless_array(const Schema& schema) {
    auto held = std::make_unique<Rowless>();
    Array array = *held->add(&schema, "", 0);
    array.private_data = held.release();
    array.release = [](Array* self) {
        delete static_cast<Rowless*>(self->private_data);
        self->release = nullptr;
    };
    return array;
}

} // namespace purview::arrow
