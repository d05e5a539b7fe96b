#pragma once

#include <purview/interop/arrow.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Arrays as another library would hand them over: each buffer is an allocation of exactly its size, and releases are
/// counted.
namespace arrow_producer {

namespace arrow = purview::arrow;
using Bytes = std::vector<std::byte>;

/// What an array and its schema say.
struct Node {
    std::string format;
    std::string name{};
    std::int64_t length = 0;
    std::int64_t null_count = -1;
    std::int64_t offset = 0;
    std::vector<std::optional<Bytes>> buffers{}; ///< absent: null
    std::vector<Node> children{};
    std::vector<Node> dictionary{}; ///< none or one
};

/// How many arrays and schemas are not released yet.
struct Counts {
    std::atomic<int> arrays = 0;
    std::atomic<int> schemas = 0;
};

template <typename S>
struct Held {
    Counts* counts;
    std::string format, name;
    std::vector<std::unique_ptr<std::byte[]>> memory{};
    std::vector<const void*> buffers{};
    std::vector<S> children{};
    std::vector<S*> places{};
    std::vector<S> dictionary{};

    Held(const Node& node, Counts& of)
        : counts(&of),
          format(node.format),
          name(node.name),
          children(node.children.size()),
          dictionary(node.dictionary.size()) {
        for (S& child : children) places.push_back(&child);
    }
    static void release(S* self) {
        auto* const held = static_cast<Held*>(self->private_data);
        for (S& child : held->children)
            if (child.release != nullptr) child.release(&child);
        for (S& values : held->dictionary)
            if (values.release != nullptr) values.release(&values);
        if constexpr (std::is_same_v<S, arrow::Array>)
            --held->counts->arrays;
        else
            --held->counts->schemas;
        delete held;
        self->release = nullptr;
    }
};

inline arrow::Schema made_schema(const Node& node, Counts& counts) {
    auto* const held = new Held<arrow::Schema>(node, counts);
    ++counts.schemas;
    for (std::size_t c = 0; c < node.children.size(); ++c)
        held->children[c] = made_schema(node.children[c], counts);
    for (std::size_t d = 0; d < node.dictionary.size(); ++d)
        held->dictionary[d] = made_schema(node.dictionary[d], counts);
    return {held->format.c_str(),
            held->name.c_str(),
            nullptr,
            arrow::kNullable,
            std::ssize(held->children),
            held->places.data(),
            held->dictionary.empty() ? nullptr : held->dictionary.data(),
            Held<arrow::Schema>::release,
            held};
}

inline arrow::Array made_array(const Node& node, Counts& counts) {
    auto* const held = new Held<arrow::Array>(node, counts);
    ++counts.arrays;
    for (const auto& buffer : node.buffers) {
        held->memory.push_back(nullptr);
        if (buffer) {
            held->memory.back() = std::make_unique<std::byte[]>(buffer->size());
            std::copy(buffer->begin(), buffer->end(), held->memory.back().get());
        }
        held->buffers.push_back(held->memory.back().get());
    }
    for (std::size_t c = 0; c < node.children.size(); ++c)
        held->children[c] = made_array(node.children[c], counts);
    for (std::size_t d = 0; d < node.dictionary.size(); ++d)
        held->dictionary[d] = made_array(node.dictionary[d], counts);
    return {node.length,
            node.null_count,
            node.offset,
            std::ssize(held->buffers),
            std::ssize(held->children),
            held->buffers.data(),
            held->places.data(),
            held->dictionary.empty() ? nullptr : held->dictionary.data(),
            Held<arrow::Array>::release,
            held};
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}
inline Bytes bits_of(const std::vector<bool>& values) {
    Bytes bytes((values.size() + 7) / 8);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i]) bytes[i / 8] |= std::byte{1} << (i % 8);
    return bytes;
}
template <typename Offset>
std::pair<Bytes, Bytes> text_of(const std::vector<std::string>& texts) {
    std::vector<Offset> offsets{0};
    std::string all;
    for (const std::string& text : texts) {
        all += text;
        offsets.push_back(static_cast<Offset>(all.size()));
    }
    return {bytes_of(offsets), bytes_of(std::vector<char>(all.begin(), all.end()))};
}

/// One column of three int64, with what `spoil` does to it.
template <typename Spoil>
Node three(Spoil spoil) {
    Node node{.format = "l",
              .name = "n",
              .length = 3,
              .buffers = {{}, bytes_of(std::vector<std::int64_t>{1, 2, 3})}};
    spoil(node);
    return node;
}
inline Node three() {
    return three([](Node&) {});
}
inline Node batch_of(std::vector<Node> children) {
    return {.format = "+s",
            .length = children.empty() ? 0 : std::max<std::int64_t>(0, children[0].length),
            .null_count = 0,
            .buffers = {{}},
            .children = std::move(children)};
}
inline purview::Columns imported(const Node& node, Counts& counts,
                                 const purview::ArrowOptions& options = {}) {
    arrow::Array array = arrow_producer::made_array(node, counts);
    arrow::Schema schema = arrow_producer::made_schema(node, counts);
    return purview::from_arrow(&array, &schema, options);
}
inline purview::Column imported_column(const Node& node, Counts& counts,
                                       const purview::ArrowOptions& options = {}) {
    arrow::Array array = arrow_producer::made_array(node, counts);
    arrow::Schema schema = arrow_producer::made_schema(node, counts);
    return purview::column_from_arrow(&array, &schema, options);
}

} // namespace arrow_producer
