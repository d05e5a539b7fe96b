#include "base/descriptor.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace purview::inline v0_1::file {

Descriptor::~Descriptor() {
    if (value_ >= 0) ::close(value_);
}

void throw_system_error(const char* what, const char* step, const std::string& path, int error) {
    throw FormatError(fmt::format("{}: cannot {} '{}': {}", what, step, path,
                                  std::generic_category().message(error)));
}

void require_path(const char* what, const char* step, const std::string& path) {
    const std::size_t zero = path.find('\0');
    if (zero == std::string::npos) return;
    // The path is shown up to its zero byte, where the message would end.
    throw FormatError(fmt::format("{}: cannot {} '{}…': the path has a zero byte in it", what, step,
                                  path.substr(0, zero)));
}

std::string whole_path(const char* what, const char* step, const std::string& path) {
    require_path(what, step, path);
    if (path.empty()) return path;
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    if (error) throw_system_error(what, step, path, error.value());
    return whole.string();
}

} // namespace purview::file
