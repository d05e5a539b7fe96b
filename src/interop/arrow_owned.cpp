#include "interop/arrow_owned.hpp"

#include <memory>
#include <utility>

namespace purview::inline v0_1 {
namespace arrow {
namespace {

/// What an exported array points to.
struct ArrayContents {
    using Structure = Array;
    std::vector<const void*> buffers;
    std::vector<Owner> owners;
    std::vector<Array> children;
    std::vector<Array*> places;
};
struct SchemaContents {
    using Structure = Schema;
    std::string format;
    std::string name;
    std::vector<Schema> children;
    std::vector<Schema*> places;
};

/// The release callback: children that nobody moved out go first.
template <typename Contents>
void release_contents(typename Contents::Structure* self) {
    auto* const contents = static_cast<Contents*>(self->private_data);
    for (auto& child : contents->children)
        if (child.release != nullptr) child.release(&child);
    delete contents;
    self->release = nullptr;
    self->private_data = nullptr;
}

template <typename S>
void move_structure(S& from, S& to) noexcept {
    to = from;
    from.release = nullptr;
}

template <typename S>
void release_structure(S& structure) noexcept {
    if (structure.release != nullptr) structure.release(&structure);
}

} // namespace

Export::Export(Export&& other) noexcept { other.move_to(&array, &schema); }

Export& Export::operator=(Export&& other) noexcept {
    if (this != &other) {
        release_structure(array);
        release_structure(schema);
        other.move_to(&array, &schema);
    }
    return *this;
}

Export::~Export() {
    release_structure(array);
    release_structure(schema);
}

void Export::move_to(Array* to_array, Schema* to_schema) noexcept {
    move_structure(array, *to_array);
    move_structure(schema, *to_schema);
}

Export owned_array(Layout layout, const std::string& name, std::int64_t length,
                   std::int64_t null_count, std::vector<Export> children) {
    const std::size_t count = children.size();
    auto held = std::make_unique<ArrayContents>();
    held->buffers = std::move(layout.buffers);
    held->owners = std::move(layout.owners);
    held->children.resize(count);
    auto said = std::make_unique<SchemaContents>();
    said->format = std::move(layout.format);
    said->name = name;
    said->children.resize(count);
    for (Array& child : held->children) held->places.push_back(&child);
    for (Schema& child : said->children) said->places.push_back(&child);
    // Nothing throws from here on.
    for (std::size_t c = 0; c < count; ++c)
        children[c].move_to(&held->children[c], &said->children[c]);
    Export result;
    result.array = {.length = length,
                    .null_count = null_count,
                    .offset = 0,
                    .n_buffers = std::ssize(held->buffers),
                    .n_children = static_cast<std::int64_t>(count),
                    .buffers = held->buffers.data(),
                    .children = held->places.data(),
                    .dictionary = nullptr,
                    .release = release_contents<ArrayContents>,
                    .private_data = held.get()};
    result.schema = {.format = said->format.c_str(),
                     .name = said->name.c_str(),
                     .metadata = nullptr,
                     .flags = kNullable,
                     .n_children = static_cast<std::int64_t>(count),
                     .children = said->places.data(),
                     .dictionary = nullptr,
                     .release = release_contents<SchemaContents>,
                     .private_data = said.get()};
    static_cast<void>(held.release());
    static_cast<void>(said.release());
    return result;
}

Schema copied_schema(const Schema& schema) {
    std::vector<Export> children(static_cast<std::size_t>(schema.n_children));
    for (std::size_t c = 0; c < children.size(); ++c)
        children[c].schema = copied_schema(*schema.children[c]);
    Export copy = owned_array({.format = schema.format}, schema.name, 0, 0, std::move(children));
    Schema result{};
    move_structure(copy.schema, result);
    return result;
}

} // namespace arrow
} // namespace purview
