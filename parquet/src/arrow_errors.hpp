#pragma once

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"

#include <fmt/format.h>

#include <arrow/result.h>
#include <arrow/status.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace purview::inline v0_1::parquet {

[[noreturn]] inline void fail(const char* what, const std::string& path, const std::string& text) {
    throw FormatError(fmt::format("{}: {}: {}", what, file::quoted_text(path), text));
}

/// Throws where Arrow reports an error.
inline void check(const char* what, const std::string& path, const ::arrow::Status& status) {
    if (!status.ok()) fail(what, path, status.message());
}
template <typename T>
T checked(const char* what, const std::string& path, ::arrow::Result<T> result) {
    check(what, path, result.status());
    return std::move(result).ValueUnsafe();
}

/// Calls `work`, and throws `FormatError` where an exception of Arrow's, or of the standard library in it, leaves that. Lack of memory stays what it is.
template <typename Work>
auto guarded(const char* what, const std::string& path, Work work) {
    try {
        return work();
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        fail(what, path, error.what());
    }
}

} // namespace purview::parquet
