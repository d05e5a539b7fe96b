#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::archives {

/// The paths that a pattern stands for, in natural order; a path without a pattern, or one that is there, is itself.
/// Throws `FormatError` naming the pattern where there are none.
std::vector<std::string> expanded(const std::string& pattern);

/// Whether a name comes before another one, numbers in them by their value.
bool is_before(std::string_view a, std::string_view b);

/// The numbers in a text, in order: digits alone, so of any length; without zeros in front.
std::vector<std::string_view> numbers_in(std::string_view text);

} // namespace purview::archives
