#include <purview/base/errors.hpp>
#include <purview/reader/const_reader.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void throw_negative_size(index_t size, const char* what) {
    throw ShapeError(fmt::format("{}: size {} is negative", what, size));
}

std::shared_ptr<ConstReader<std::string>> const_reader(const char* value, index_t n) {
    return std::make_shared<ConstReader<std::string>>(std::string(value), n);
}

} // namespace purview
