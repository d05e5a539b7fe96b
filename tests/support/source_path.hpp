#pragma once

#include <string>
#include <string_view>

/// Where a file of the checkout is, by its path from the root. (One source knows the folder, so that all others are the same in
/// every checkout, and ccache knows them again.)
std::string source_path(std::string_view path);
