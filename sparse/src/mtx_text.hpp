#pragma once

#include <purview/sparse/mtx_header.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace purview::inline v0_1::sparse {

/// Reads the beginning of a file, given the whole file or any prefix that holds it. Whatever the
/// bytes, it reads none outside of them. Every error begins with `where` and names the line. Throws
/// as `load_mtx_header`.
MtxHeader parse_mtx_header(std::span<const std::byte> bytes, const std::string& where);

/// The lines that such a file begins with.
std::string format_mtx_header(const MtxHeader& header);

} // namespace purview::sparse
