// Whatever an Arrow array and its schema say, importing them gives columns over what they describe, or throws an `Error`; both are
// released once; no byte outside of the buffers is touched, each of which is an allocation of exactly the size that lengths and offsets
// need; and what was read is exported and read again as it was. So does a stream of it.

#include "memory_file.hpp"

#include <purview/base/errors.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/interop/arrow_stream.hpp>

#include <interop/arrow_producer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pv = purview;
namespace arrow = pv::arrow;

namespace {

using arrow_producer::Bytes;
using arrow_producer::Counts;
using arrow_producer::Node;
using fuzz::require;

/// The bytes of the input, zeros behind its end.
class Input {
public:
    explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    std::uint8_t byte() {
        if (bytes_.empty()) return 0;
        const std::uint8_t first = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return first;
    }
    std::int64_t below(std::int64_t end) { return byte() % end; }
    Bytes bytes(std::int64_t count) {
        Bytes result(static_cast<std::size_t>(count));
        for (std::byte& b : result) b = std::byte{byte()};
        return result;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

struct Format {
    const char* text;
    std::int64_t width; ///< of an element in the only buffer behind the bitmap
};
constexpr Format kFixed[] = {{"c", 1},    {"C", 1},      {"s", 2},        {"S", 2},
                             {"i", 4},    {"I", 4},      {"l", 8},        {"L", 8},
                             {"e", 2},    {"f", 4},      {"g", 8},        {"tdD", 4},
                             {"tdm", 8},  {"tss:", 8},   {"tsm:UTC", 8},  {"tsu:Europe/Vienna", 8},
                             {"tsn:", 8}, {"tts", 4},    {"ttm", 4},      {"ttu", 8},
                             {"ttn", 8},  {"tDs", 8},    {"tDm", 8},      {"tDu", 8},
                             {"tDn", 8},  {"d:9,2", 16}, {"d:9,2,32", 4}, {"d:70,-3,256", 32}};
constexpr const char* kRefused[] = {"+l",
                                    "+L",
                                    "+vl",
                                    "+ud:0",
                                    "+r",
                                    "+vL",
                                    "tiM",
                                    "",
                                    "x",
                                    "w:",
                                    "+w:-1",
                                    "w:99999999999999999999",
                                    "+w:4611686018427387904",
                                    "tss"};

template <typename Offset>
void add_texts(Node& node, Input& input, std::int64_t count) {
    std::vector<Offset> offsets;
    Offset offset = 0;
    std::int64_t most = 0;
    for (std::int64_t i = 0; i <= count; ++i) {
        offset = static_cast<Offset>(offset + static_cast<std::int8_t>(input.byte()) % 9 + 3);
        offsets.push_back(offset);
        most = std::max<std::int64_t>(most, offset);
    }
    node.buffers.emplace_back(count == 0 ? Bytes() : arrow_producer::bytes_of(offsets));
    node.buffers.emplace_back(input.bytes(most));
}

/// Texts in views and in up to two buffers; some views tell of more than these have.
void add_viewed_texts(Node& node, Input& input, std::int64_t count) {
    std::vector<Bytes> texts;
    std::vector<std::int64_t> lengths;
    for (std::int64_t b = input.below(3); b > 0; --b) {
        lengths.push_back(input.below(40));
        texts.push_back(input.bytes(lengths.back()));
    }
    std::vector<std::int32_t> views;
    for (std::int64_t i = 0; i < count; ++i) {
        views.push_back(static_cast<std::int32_t>(input.below(24) - input.byte() / 255));
        for (int word = 0; word < 3; ++word)
            views.push_back(static_cast<std::int32_t>(input.below(word == 1 ? 3 : 20)));
    }
    node.buffers.emplace_back(arrow_producer::bytes_of(views));
    for (Bytes& text : texts) node.buffers.emplace_back(std::move(text));
    node.buffers.emplace_back(arrow_producer::bytes_of(lengths));
}

Node node_from(Input& input, std::int64_t length, int depth) {
    Node node{.format = "",
              .name = std::string(1, static_cast<char>('a' + input.below(26))),
              .length = length,
              .null_count = input.below(3) - 1,
              .offset = input.below(5)};
    const std::int64_t total = node.offset + length;
    const std::int64_t kind = input.below(depth > 4 ? 6 : 11);
    if (kind != 1) {
        node.buffers.emplace_back();
        if (input.below(2) == 1) node.buffers[0] = input.bytes((total + 7) / 8);
    }
    switch (kind) {
    case 0:
        node.format = "b";
        node.buffers.emplace_back(input.bytes((total + 7) / 8));
        break;
    case 1: node.format = "n"; break;
    case 2:
        node.format = input.below(2) == 0 ? "u" : "z";
        add_texts<std::int32_t>(node, input, total);
        break;
    case 3:
        node.format = input.below(2) == 0 ? "U" : "Z";
        add_texts<std::int64_t>(node, input, total);
        break;
    case 4: {
        const std::int64_t size = input.below(4);
        node.format = "w:" + std::to_string(size);
        node.buffers.emplace_back(input.bytes(size * total));
        break;
    }
    case 6: {
        const std::int64_t size = input.below(4);
        node.format = "+w:" + std::to_string(size);
        node.children.push_back(node_from(
            input, std::max<std::int64_t>(0, size * total - input.below(12) / 11), depth + 1));
        break;
    }
    case 7:
        node.format = "+s";
        for (std::int64_t c = input.below(4); c > 0; --c)
            node.children.push_back(node_from(input, total, depth + 1));
        break;
    case 8: {
        const Format index = kFixed[static_cast<std::size_t>(input.below(8))];
        node.format = index.text;
        node.dictionary.push_back(node_from(input, input.below(12), depth + 1));
        Bytes indexes(static_cast<std::size_t>(total * index.width));
        for (std::int64_t i = 0; i < total; ++i)
            indexes[static_cast<std::size_t>(i * index.width)] =
                std::byte{input.byte()} & std::byte{0x8F};
        node.buffers.emplace_back(std::move(indexes));
        break;
    }
    case 9: // nothing of it is read
        node.format = kRefused[static_cast<std::size_t>(input.below(std::ssize(kRefused)))];
        node.length = node.offset = 0;
        break;
    case 10:
        node.format = input.below(2) == 0 ? "vu" : "vz";
        add_viewed_texts(node, input, total);
        break;
    default: {
        const Format format = kFixed[static_cast<std::size_t>(input.below(std::ssize(kFixed)))];
        node.format = format.text;
        node.buffers.emplace_back(input.bytes(format.width * total));
        break;
    }
    }
    return node;
}

/// Makes one statement a lie of which the buffers tell nothing.
void spoil(arrow::Array& array, arrow::Schema& schema, Input& input, bool is_streamed) {
    constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
    if (array.n_children > 0 && input.below(2) == 0) {
        const auto child = static_cast<std::size_t>(input.below(array.n_children));
        return spoil(*array.children[child], *schema.children[child], input, is_streamed);
    }
    switch (input.below(14)) {
    case 0: array.length = -1 - input.byte(); break;
    case 1: array.offset = -1 - input.byte(); break;
    case 2: array.offset = kHigh - input.byte() % 2; break;
    case 3: array.null_count = input.below(2) == 0 ? kHigh : -2 - input.byte(); break;
    case 4: // of views, any number that is not too small is believed
        array.n_buffers = static_cast<std::int8_t>(input.byte());
        if (schema.format[0] == 'v') array.n_buffers %= 3;
        break;
    case 5: array.n_children = static_cast<std::int8_t>(input.byte()); break;
    case 6: // without an array that says something else, a schema is believed
        schema.n_children =
            is_streamed || input.below(2) == 0 ? kHigh : static_cast<std::int8_t>(input.byte());
        break;
    case 7: array.buffers = nullptr; break;
    case 8:
        if (array.n_buffers > 0) array.buffers[input.below(array.n_buffers)] = nullptr;
        break;
    case 9: array.children = nullptr; break;
    case 10: schema.format = nullptr; break;
    case 11: schema.name = nullptr; break;
    case 12: schema.dictionary = nullptr; break;
    case 13: array.dictionary = nullptr; break;
    default: break;
    }
}

void check_table(const pv::Columns& table) {
    const std::string text = pv::to_string(table);
    arrow::Export out = pv::to_arrow(table);
    const pv::Columns again = pv::from_arrow(&out.array, &out.schema);
    require(pv::to_string(again) == text, "what was exported is read as it was");
}

/// A stream of one batch.
struct OneBatch {
    arrow::Array& array;
    arrow::Schema& schema;
    int released = 0;

    arrow::Stream stream() {
        return {[](arrow::Stream* self, arrow::Schema* out) {
                    *out = std::exchange(of(self).schema, {});
                    return 0;
                },
                [](arrow::Stream* self, arrow::Array* out) {
                    *out = std::exchange(of(self).array, {});
                    return 0;
                },
                [](arrow::Stream*) -> const char* { return nullptr; },
                [](arrow::Stream* self) {
                    ++of(self).released;
                    self->release = nullptr;
                },
                this};
    }

private:
    static OneBatch& of(arrow::Stream* self) { return *static_cast<OneBatch*>(self->private_data); }
};

/// The same batch out of a stream, and through another one.
void check_stream(arrow::Array& array, arrow::Schema& schema, const pv::ArrowOptions& options) {
    OneBatch producer{array, schema};
    try {
        arrow::Stream given = producer.stream();
        arrow::Batches batches = pv::from_arrow_stream(&given, options);
        const pv::Columns said = batches.schema();
        const pv::Columns table = batches.read_all();
        require(said.size() == table.size(), "the schema has the columns of the batch");
        arrow::StreamExport out =
            pv::to_arrow_stream(std::vector{table, table}, {.text = pv::ArrowText::binary});
        const pv::Columns twice = pv::from_arrow_stream(&out.stream).read_all();
        require(twice.rows() == 2 * table.rows(), "both batches come back");
        require(table.rows() == 0 || twice.size() == table.size(), "with all columns");
    } catch (const pv::Error&) {}
    require(producer.released == 1, "the stream is released once");
    if (array.release != nullptr) array.release(&array);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input({data, size});
    Counts counts;
    const std::int64_t rows = input.below(12);
    pv::ArrowOptions options;
    if (const std::int64_t fill = input.below(4); fill > 0)
        options.fill =
            fill == 1 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(fill - 2);
    const bool is_spoilt = input.below(3) == 0;
    Node batch{.format = "+s",
               .length = rows,
               .null_count = input.below(2) - 1,
               .offset = input.below(3),
               .buffers = {{}}};
    if (input.below(2) == 1) batch.buffers[0] = input.bytes((rows + batch.offset + 7) / 8);
    for (std::int64_t c = input.below(5); c >= 0; --c)
        batch.children.push_back(node_from(input, rows + batch.offset, 0));
    arrow::Array array = arrow_producer::made_array(batch, counts);
    arrow::Schema schema = arrow_producer::made_schema(batch, counts);
    const bool is_streamed = input.below(2) == 1;
    if (is_spoilt) spoil(array, schema, input, is_streamed);
    if (is_streamed) {
        check_stream(array, schema, options);
        require(counts.arrays == 0 && counts.schemas == 0, "everything is released once");
        return 0;
    }
    try {
        const pv::Columns table = pv::from_arrow(&array, &schema, options);
        require(counts.schemas == 0, "the schema is released");
        require(table.size() == 0 || table.rows() == rows,
                "there are as many rows as the batch says");
        check_table(table);
    } catch (const pv::Error&) {}
    require(array.release == nullptr && schema.release == nullptr, "both are taken over");
    require(counts.arrays == 0 && counts.schemas == 0, "everything is released once");
    return 0;
}
