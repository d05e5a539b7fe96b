#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

namespace purview {

// Out of line, so that each base has one vtable across shared libraries.
AnyReader::~AnyReader() = default;
AnyWriter::~AnyWriter() = default;

} // namespace purview
