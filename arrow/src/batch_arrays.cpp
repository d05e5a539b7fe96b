#include "batch_arrays.hpp"

#include "refuse.hpp"

#include "interop/arrow_format.hpp"
#include "interop/arrow_owned.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace purview::inline v0_1::ipc {
namespace {

constexpr index_t kMost = std::numeric_limits<index_t>::max();
constexpr index_t kPadding = 1 << 16; ///< of what writers put behind elements, more than any

index_t bytes_of(const Field& field, index_t count, index_t width) {
    index_t bytes = 0;
    if (__builtin_mul_overflow(count, width, &bytes))
        refuse_column(field.name, "{} elements of {} bytes", count, width);
    return bytes;
}

index_t bits_of(index_t count) { return count / 8 + (count % 8 == 0 ? 0 : 1); }

} // namespace

BatchArrays::BatchArrays(const ArrowTable& table, const Batch* batch, const RowBatch* rows_of,
                         const Entries& begin)
    : table_(table),
      batch_(batch),
      rows_of_(rows_of),
      node_(begin.nodes),
      buffer_(begin.buffers),
      view_(begin.views) {
    if (batch_ == nullptr) return;
    const auto* const counts = batch_->record->variadic_buffer_counts();
    for (std::size_t v = 0; v < begin.views; ++v) {
        if (counts == nullptr || v >= counts->size()) return; // who reads the column says so
        const std::int64_t count = counts->Get(static_cast<flatbuffers::uoffset_t>(v));
        buffer_ += static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, 1 << 30));
    }
}

BatchArrays::Node BatchArrays::next_node(const Field& field) {
    const std::size_t place = node_++;
    if (batch_ == nullptr) return {};
    const auto* const nodes = batch_->record->nodes();
    if (nodes == nullptr || place >= nodes->size())
        refuse_column(field.name, "a batch has {} arrays, and this is number {}",
                      nodes == nullptr ? 0 : nodes->size(), place);
    const format::FieldNode& node = *nodes->Get(static_cast<flatbuffers::uoffset_t>(place));
    if (node.length() < 0 || node.null_count() < 0 || node.null_count() > node.length())
        refuse_column(field.name, "{} of {} elements are missing", node.null_count(),
                      node.length());
    return {node.length(), node.null_count()};
}

index_t BatchArrays::next_count(const Field& field) {
    const std::size_t place = view_++;
    if (batch_ == nullptr) return 0;
    const auto* const counts = batch_->record->variadic_buffer_counts();
    if (counts == nullptr || place >= counts->size())
        refuse_column(field.name, "a batch does not say how many buffers its views refer to");
    const std::int64_t count = counts->Get(static_cast<flatbuffers::uoffset_t>(place));
    const auto* const buffers = batch_->record->buffers();
    const index_t most = buffers == nullptr ? 0 : static_cast<index_t>(buffers->size());
    if (count < 0 || count > most)
        refuse_column(field.name, "views refer to {} buffers, and the batch has {}", count, most);
    return count;
}

Bytes BatchArrays::next_bytes(const Field& field, index_t needed, bool is_used,
                              bool may_be_longer) {
    const std::size_t place = buffer_++;
    if (batch_ == nullptr || !is_used) return {};
    const auto* const buffers = batch_->record->buffers();
    if (buffers == nullptr || place >= buffers->size())
        refuse_column(field.name, "a batch has {} buffers, and this is number {}",
                      buffers == nullptr ? 0 : buffers->size(), place);
    const format::BufferPlace& said = *buffers->Get(static_cast<flatbuffers::uoffset_t>(place));
    if (said.offset() < 0 || said.length() < 0 || said.offset() > batch_->body_bytes ||
        said.length() > batch_->body_bytes - said.offset())
        refuse_column(field.name, "a buffer is said to be at byte {} of {}, of {} bytes",
                      said.offset(), batch_->body_bytes, said.length());
    Bytes result{
        table_.file().bytes().subspan(static_cast<std::size_t>(batch_->body + said.offset()),
                                      static_cast<std::size_t>(said.length())),
        table_.file().owner()};
    if (const format::BodyCompression* const how = batch_->record->compression()) {
        const index_t most = may_be_longer || needed > kMost / 2 ? kMost : 2 * needed + kPadding;
        try {
            Bytes decoded = decompressed(result.bytes, how->codec(), most);
            if (decoded.owner == nullptr) decoded.owner = result.owner;
            result = std::move(decoded);
        } catch (const FormatError& error) {
            refuse_column(field.name, "{}", error.what());
        }
    }
    if (std::ssize(result.bytes) < needed)
        refuse_column(field.name, "a buffer of {} bytes, where {} are needed", result.bytes.size(),
                      needed);
    return result;
}

const void* BatchArrays::next_buffer(const Field& field, index_t needed, std::vector<Owner>& owners,
                                     bool is_used) {
    Bytes found = next_bytes(field, needed, is_used);
    if (found.owner != nullptr) owners.push_back(std::move(found.owner));
    return found.bytes.data();
}

void BatchArrays::add_text(const Field& field, index_t length, index_t width,
                           std::vector<const void*>& buffers, std::vector<Owner>& owners) {
    const index_t offsets =
        length == 0 ? 0 : bytes_of(field, length == kMost ? kMost : length + 1, width);
    buffers.push_back(next_buffer(field, offsets, owners, length > 0));
    const index_t last = batch_ == nullptr ? 0 : last_offset(buffers.back(), length, width);
    if (last < 0) refuse_column(field.name, "texts end at offset {}", last);
    buffers.push_back(next_buffer(field, last, owners, length > 0));
}

void BatchArrays::add_views(const Field& field, index_t length, std::vector<const void*>& buffers,
                            std::vector<Owner>& owners) {
    constexpr index_t kViewBytes = 16;
    const index_t count = next_count(field);
    buffers.push_back(next_buffer(field, bytes_of(field, length, kViewBytes), owners, length > 0));
    const auto lengths = std::make_shared<std::vector<std::int64_t>>();
    for (index_t b = 0; b < count; ++b) {
        Bytes found = next_bytes(field, 0, true, true);
        lengths->push_back(std::ssize(found.bytes));
        buffers.push_back(found.bytes.data());
        if (found.owner != nullptr) owners.push_back(std::move(found.owner));
    }
    buffers.push_back(lengths->data());
    owners.push_back(lengths);
}

arrow::Export BatchArrays::next(const Field& field) {
    using arrow::Kind;
    const bool is_indexes = field.dictionary.has_value();
    const std::string& format = is_indexes ? field.index_format : field.format;
    const arrow::ArrowType type = arrow::parse_format(format, field.name);
    const Node node = next_node(field);
    arrow::Layout layout{.format = format};
    std::vector<const void*>& buffers = layout.buffers;
    if (type.kind != Kind::nothing)
        buffers.push_back(
            next_buffer(field, bits_of(node.length), layout.owners, node.null_count > 0));
    std::vector<arrow::Export> children;
    switch (type.kind) {
    case Kind::nothing: break;
    case Kind::boolean:
        buffers.push_back(next_buffer(field, bits_of(node.length), layout.owners, node.length > 0));
        break;
    case Kind::text: add_text(field, node.length, type.width, buffers, layout.owners); break;
    case Kind::text_view: add_views(field, node.length, buffers, layout.owners); break;
    case Kind::fixed_list:
    case Kind::structure:
        for (const Field& child : field.children) children.push_back(next(child));
        break;
    default:
        buffers.push_back(next_buffer(field, bytes_of(field, node.length, type.width),
                                      layout.owners, node.length > 0));
        break;
    }
    std::shared_ptr<arrow::Export> dictionary;
    if (is_indexes) {
        dictionary = table_.dictionary(rows_of_, field);
        layout.owners.push_back(dictionary);
    }
    const index_t nulls = type.kind == Kind::nothing ? node.length : node.null_count;
    arrow::Export result =
        arrow::owned_array(std::move(layout), field.name, node.length, nulls, std::move(children));
    if (is_indexes) {
        // The array co-owns both.
        result.array.dictionary = &dictionary->array;
        result.schema.dictionary = &dictionary->schema;
    }
    return result;
}

void BatchArrays::skip(const Field& field) {
    const Entries all = field.entries();
    node_ += all.nodes;
    buffer_ += all.buffers;
    for (std::size_t view = 0; view < all.views; ++view)
        buffer_ += static_cast<std::size_t>(next_count(field));
}

arrow::Export BatchArrays::next_gaps(const Field& field) {
    const Node node = next_node(field);
    arrow::Layout layout{.format = "b"};
    const void* const bits =
        next_buffer(field, bits_of(node.length), layout.owners, node.null_count > 0);
    if (bits != nullptr) {
        layout.buffers = {bits, bits};
        return arrow::owned_array(std::move(layout), field.name, node.length, node.null_count, {});
    }
    // Nothing is missing: bools of no importance, one bit for each.
    const auto none =
        std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bits_of(node.length)));
    layout.buffers = {nullptr, none->data()};
    layout.owners.push_back(none);
    return arrow::owned_array(std::move(layout), field.name, node.length, 0, {});
}

arrow::Export BatchArrays::next(const Field& field, std::span<const std::size_t> path,
                                Wanted wanted) {
    if (path.size() == 1) {
        const bool is_plain = !field.dictionary && field.format != "n";
        return is_plain && wanted == Wanted::gaps ? next_gaps(field) : next(field);
    }
    const Node node = next_node(field);
    arrow::Layout layout{.format = "+s"};
    layout.buffers = {next_buffer(field, bits_of(node.length), layout.owners, node.null_count > 0)};
    for (std::size_t child = 0; child < path[1]; ++child) skip(field.children[child]);
    std::vector<arrow::Export> children;
    children.push_back(next(field.children[path[1]], path.subspan(1), wanted));
    return arrow::owned_array(std::move(layout), field.name, node.length, node.null_count,
                              std::move(children));
}

bool BatchArrays::next_has_gaps(const Field& field, std::span<const std::size_t> path) {
    const bool has_gaps = next_node(field).null_count > 0;
    if (path.size() == 1)
        return has_gaps || field.format == "n" ||
               field.dictionary.has_value(); // whose values may have some
    for (std::size_t child = 0; child < path[1]; ++child) skip(field.children[child]);
    return next_has_gaps(field.children[path[1]], path.subspan(1)) || has_gaps;
}

} // namespace purview::ipc
