#include <purview/base/errors.hpp>
#include <purview/reader/element.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

// Out of line, so that each base has one vtable across shared libraries.
AnyReader::~AnyReader() {
    if (has_element_refs()) [[unlikely]]
        mark_destroyed(this);
}

std::vector<StorageId> AnyReader::storages() const {
    const StorageId own = storage();
    return own.address != nullptr ? std::vector<StorageId>{own} : std::vector<StorageId>{};
}

int nested_depth(int depth, const char* what) {
    if (depth >= kMaxReaderDepth)
        throw ShapeError(fmt::format("{}: more than {} readers would read through each other; copy "
                                     "the elements of one of them into memory",
                                     what, kMaxReaderDepth));
    return depth + 1;
}

AnyWriter::~AnyWriter() = default;

void throw_element_is_read_only() {
    throw ReadOnlyError(
        "element: it can only be read: what it belongs to cannot be written, or several "
        "elements of a tensor share its address");
}

void throw_element_is_gone() { throw Error("element: the reader that it belonged to is gone"); }

void throw_element_of_another_thread() {
    throw Error("element: it is copied on another thread than the one that it came from; copy its "
                "value, or the tensor");
}

} // namespace purview
